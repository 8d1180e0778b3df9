/**
 * The references in a text: the modules it imports, and the words that may name a file. Found by patterns, not by a parser per language: a
 * wrong reference costs at most a question to the user, and foreign text never throws. All repetition is bounded.
 */
import { assertNever } from '../core/assert-never.ts'
import { readPlainWord } from '../core/text/shell.ts'
import { extensionOf, languageOf, type Language } from './file-kinds.ts'

export type Reference =
  /** `./x`, `../x`, `/x`: relative to the file. */
  | { is: 'path'; to: string }
  /** A module's name as the language writes it: `pkg/sub`, `pkg.sub`, `crate::x`. */
  | { is: 'module'; to: string }
  /** Any other quoted text or word that could be a file, a folder or a pattern. */
  | { is: 'word'; to: string }

/** A generated file of many megabytes refers to nothing of interest after this. */
const READ_AT_MOST = 2_000_000

/** In order of first appearance, without duplicates. */
export function referencesIn(path: string, text: string): Reference[] {
  const read = text.length > READ_AT_MOST ? text.slice(0, READ_AT_MOST) : text
  const language = languageOf(path)
  const found = language === null ? wordsOf(path, read) : [...importsOf(language, read), ...literalsIn(language, read)]
  const seen = new Set<string>()
  return found.filter(({ is, to }) => {
    const key = `${is} ${to}`
    if (to === '' || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Only imports of the language itself. */
export function importsOf(language: Language, text: string): Reference[] {
  switch (language) {
    case 'js':
      return all(JS_IMPORTS, text).map(jsReference)
    case 'python':
      return pythonImports(text)
    case 'rust':
      return [
        ...all([/^[ \t]{0,40}(?:pub(?:\([^)\n]{1,40}\))?[ \t]+)?mod[ \t]+(\w{1,80})[ \t]*;/gm], text).map(
          (name) => ({ is: 'module', to: `mod ${name}` }) as const,
        ),
        ...all([/#\[path[ \t]*=[ \t]*"([^"\n]{1,300})"/g], text).map((to) => ({ is: 'path', to }) as const),
      ]
    case 'go':
      return modules([/^[ \t]{0,8}(?:import[ \t]+)?(?:[\w.]{1,40}[ \t]+)?"([^"\s]{1,300})"[ \t]*(?:\/\/.*)?$/gm], text)
    case 'c':
      return [
        ...all([/^[ \t]{0,40}#[ \t]*(?:include|import)[ \t]*"([^"\n]{1,300})"/gm], text).map(
          (to) => ({ is: 'path', to }) as const,
        ),
        ...modules([/^[ \t]{0,40}#[ \t]*(?:include|import)[ \t]*<([^>\n]{1,300})>/gm], text),
      ]
    case 'ruby':
      return [
        ...all([/\brequire_relative[ \t(]{1,4}['"]([^'"\n]{1,300})['"]/g], text).map(
          (to) => ({ is: 'path', to: to.startsWith('.') ? to : `./${to}` }) as const,
        ),
        ...modules([/\b(?:require|load|autoload[ \t(]{1,4}:\w{1,60},)[ \t(]{1,60}['"]([^'"\n]{1,300})['"]/g], text),
      ]
    case 'php':
      return [
        ...modules([/^[ \t]{0,40}use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]{1,200})/gm], text),
        ...all([/\b(?:require|include)(?:_once)?\b[^'"\n]{0,60}['"]\/?([^'"\n]{1,300})['"]/g], text).map(
          (to) => ({ is: 'path', to: `./${to}` }) as const,
        ),
      ]
    case 'java':
      return modules([/^[ \t]{0,8}import[ \t]+(?:static[ \t]+)?([\w.]{1,200})/gm], text)
    case 'csharp':
      return modules([/^[ \t]{0,8}(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?([\w.]{1,200})[ \t]*;/gm], text)
    case 'swift':
    case 'haskell':
      return modules([/^[ \t]{0,8}(?:@testable[ \t]+)?import[ \t]+(?:qualified[ \t]+)?([\w.]{1,200})/gm], text)
    case 'elixir':
      return modules([/^[ \t]{0,20}(?:alias|use|import|require)[ \t]+([A-Z][\w.]{0,200})/gm], text)
    case 'dart':
      return all([/^[ \t]{0,8}(?:import|export|part)[ \t]+['"]([^'"\n]{1,300})['"]/gm], text).map((to) =>
        to.includes(':') ? { is: 'module', to } : { is: 'path', to: `./${to}` },
      )
    case 'lua':
      return modules([/\brequire[ \t(]{0,4}['"]([^'"\n]{1,300})['"]/g], text)
    case 'perl':
      return modules([/^[ \t]{0,8}(?:use|require)[ \t]+([A-Z][\w:]{0,200})/gm], text)
    case 'shell':
      return sourced(text).map((to) => ({ is: 'path', to: to.replace(/^\$\{?\w{1,40}\}?\//, './') }) as const)
    case 'other':
      return []
    default:
      return assertNever(language)
  }
}

/** The words after `source` and `.`. */
function sourced(text: string): string[] {
  return [...text.matchAll(/^[ \t]{0,40}(?:source|\.)[ \t]+/gm)].flatMap(({ 0: said, index }) => {
    const from = index + said.length
    return readPlainWord({ text: text.slice(from, from + PATH_MAX), at: 0 }) || []
  })
}

const PATH_MAX = 300

/** `from`, `import` and functions that take a module's name. */
const JS_IMPORTS: readonly RegExp[] = [
  /\b(?:from|import|require|resolve|mock|doMock|unmock|requireActual|importActual|glob|globEager|url)(?:<[^>\n]{0,80}>)?[ \t\n]{0,4}\(?[ \t\n]{0,20}['"`]([^'"`\n]{1,300})['"`]/g,
]

function jsReference(spec: string): Reference {
  const to = spec.replace(/[?#](?:raw|url|worker|inline|react|component)\b.{0,60}$/, '')
  return /^(?:\.{1,2}(?:\/|$)|\/)/.test(to) ? { is: 'path', to: asPattern(to) } : { is: 'module', to }
}

/** `from .a import b, c` may name the module `b` of the package `a`, or something inside `a`: both are returned. */
function pythonImports(text: string): Reference[] {
  const found: string[] = []
  for (const [, from = '', names = ''] of text.matchAll(
    /^[ \t]{0,80}from[ \t]+([\w.]{1,200})[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n]{1,1000})/gm,
  )) {
    found.push(from)
    const list = names.replaceAll(/#[^\n]{0,400}/g, '').replaceAll(/[()\\\s]+/g, ' ')
    for (const name of list.split(',').map((part) => part.trim().split(' ')[0] ?? ''))
      if (/^\w{1,80}$/.test(name)) found.push(from.endsWith('.') ? `${from}${name}` : `${from}.${name}`)
  }
  for (const [, names = ''] of text.matchAll(/^[ \t]{0,80}import[ \t]+([\w., \t]{1,500})/gm))
    found.push(...names.split(',').map((part) => part.trim().split(/\s/)[0] ?? ''))
  found.push(...all([/\b(?:import_module|__import__|importorskip)\([ \t]{0,4}['"]([\w.]{1,200})['"]/g], text))
  return found.map((to) => ({ is: 'module', to }))
}

function modules(patterns: readonly RegExp[], text: string): Reference[] {
  return all(patterns, text).map((to) => ({ is: 'module', to }))
}

function all(patterns: readonly RegExp[], text: string): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
}

/** One-line strings that could name a file; sentences and markup do not. */
function literalsIn(language: Language, text: string): Reference[] {
  const found = new Set<string>()
  for (const match of text.matchAll(language === 'js' ? QUOTED_JS : QUOTED))
    found.add(match[1] ?? match[2] ?? match[3] ?? '')
  if (/["'][ \t]?[,/]/.test(text)) for (const path of joinedLiterals(text)) found.add(path)
  if (language === 'shell') for (const word of possibleFileNames(text)) found.add(word)
  return [...found].map(literal)
}

// No space inside and no comma in front, so that the text between two strings is not taken for a string.
const QUOTED = /"([\w@~#./$*{][\w@~#./$*?{}()[\],+-]{0,199})"|'([\w@~#./$*{][\w@~#./$*?{}()[\],+-]{0,199})'/g
const QUOTED_JS = new RegExp(`${QUOTED.source}|\`([\\w@~#./$*{][\\w@~#./$*?{}()[\\],+-]{0,199})\``, 'g')

/** `join(here, '..', 'src', 'cases.json')` and `here / "src" / "cases.json"`. */
function joinedLiterals(text: string): string[] {
  const chain = /["'][\w.*-]{1,60}["'](?:[ \t]{0,4}[,/][ \t]{0,4}["'][\w.*-]{1,60}["']){1,6}/g
  return [...text.matchAll(chain)].map(([found]) =>
    [...found.matchAll(/["']([\w.*-]{1,60})["']/g)].map((part) => part[1]).join('/'),
  )
}

function literal(text: string): Reference {
  const to = asPattern(text)
  return /^\.{1,2}(?:\/|$)/.test(to) ? { is: 'path', to } : { is: 'word', to }
}

/** Sentences, markup and the like name no file. */
function couldName(text: string): boolean {
  return /^[\w@~#./$*?{}()[\],+-]{1,200}$/.test(text)
}

/** `./locales/${language}.json` and `./locales/%s.json` match every file of that form. */
function asPattern(text: string): string {
  return text.replaceAll(/\$\{[^}]{1,100}\}|\{\w{0,40}\}|%[sd]/g, '*')
}

/** For files that are no code: the words between spaces, quotes and brackets. */
function wordsOf(path: string, text: string): Reference[] {
  const extension = extensionOf(path)
  if (extension === 'html' || extension === 'htm')
    return all([/\b(?:src|href)[ \t]?=[ \t]?["']\/?([^"'\n]{1,300})["']/g], text).map((to) => ({
      is: 'path',
      to: `./${to}`,
    }))
  if (/^(?:css|scss|sass|less|styl|pcss)$/.test(extension))
    return all(
      [
        /@(?:import|use|forward)[ \t]+(?:url\()?["']([^"'\n]{1,300})["']/g,
        /\burl\([ \t]?["']?([^"')\n]{1,300})["']?\)/g,
      ],
      text,
    ).map((to) => ({ is: 'path', to: to.startsWith('.') ? to : `./${to}` }))
  return possibleFileNames(text).map(literal)
}

/** The words of a command line or of a configuration file that could name a file. */
export function possibleFileNames(text: string): string[] {
  return text
    .slice(0, READ_AT_MOST)
    .split(/[\s"'`,;:=<>|&()]+/)
    .map((word) => word.replace(/^\$[({]\w{1,40}[)}]\/?/, ''))
    .filter((word) => word.length <= 200 && /[./*]/.test(word) && couldName(word))
}
