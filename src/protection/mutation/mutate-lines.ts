/**
 * Mutates the changed lines of a source file, all at once: reverses comparisons, changes constants, negates conditions, drops results. If
 * the tests still pass, they would not notice that the change is wrong. The result should still compile, because a file that does not load
 * shows nothing about the tests; so only small, well-known places change.
 */
import { languageFamilyOf, type LanguageFamily } from '../language-family.ts'
import { splitSourceText, type LineRange } from './split-source-text.ts'

export interface MutatedText {
  text: string
  /** The number of changed places. */
  changes: number
}

/** Null: these lines contain nothing to mutate. */
export function mutateLines(path: string, text: string, lines: readonly LineRange[]): MutatedText | null {
  const family = languageFamilyOf(path)
  if (family === null || lines.length === 0) return null
  const inside = insideOf(text, lines)
  let changes = 0
  const parts = splitSourceText(text, family).map(({ is, from, to }) => {
    const part = text.slice(from, to)
    if (is === 'comment') return part
    if (is === 'text') {
      const changed = inside(from) && !isDeclared(text, from) ? wrongText(part) : part
      changes += changed === part ? 0 : 1
      return changed
    }
    return part.replaceAll(rulesFor(family), (found: string, ...rest: unknown[]) => {
      const offset = rest.find((one) => typeof one === 'number') as number
      if (!inside(from + offset) || isDeclared(text, from + offset)) return found
      const changed =
        found === '=> {'
          ? emptied(found, family)
          : isResult(found)
            ? taken(found, family, restOfLine(text, from + offset))
            : turned(found, family)
      changes += changed === found ? 0 : 1
      return changed
    })
  })
  return changes === 0 ? null : { text: parts.join(''), changes }
}

/** Whether a position is on one of the lines. */
function insideOf(text: string, lines: readonly LineRange[]): (at: number) => boolean {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const spans = lines.map(({ from, to }) => [starts[from - 1] ?? text.length, starts[to] ?? text.length])
  return (at) => spans.some(([from = 0, to = 0]) => at >= from && at < to)
}

/** Imports and declarations: a change would keep the file from loading. */
const DECLARING =
  /^\s*(?:import\b|export\b[^;]{0,200}\bfrom\b|from\s+\S+\s+import\b|(?:const|let|var)\s[^=]{0,200}=\s*require\(|require\b|use\s|mod\s|package\s|#\s*include|#\[|#!\[|@|type\s|interface\s|using\s|namespace\s|extern\b|pub\s+use\s)/

function lineAround(text: string, at: number): string {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const to = text.indexOf('\n', at)
  return text.slice(from, to < 0 ? text.length : to)
}

function isDeclared(text: string, at: number): boolean {
  return DECLARING.test(lineAround(text, at))
}

/** With a space on both sides they are operators in every family; without, they may be generics, arrows or flags. */
function rulesFor(family: LanguageFamily): RegExp {
  const python = family === 'python' || family === 'ruby' || family === 'elixir'
  const words = python ? String.raw`|\band\b|\bor\b|\bnot\b` : ''
  return new RegExp(
    String.raw`\breturn (?=\S)|=> (?=[^\s{])|=> \{(?=\s*$)|(?<= )(?:===|!==|==|!=|<=|>=|<|>|&&|\|\||\+=|-=|\+|-|\*|/|%)(?= )|(?<![\w.$#])\d+(?:\.\d+)?(?![\w.])|\b(?:true|false|True|False|null|None|nil)\b${words}`,
    'gm',
  )
}

/** Makes a function return at once. */
function emptied(found: string, family: LanguageFamily): string {
  return family === 'js' || family === 'ts' ? `${found} return;` : found
}

function isResult(found: string): boolean {
  return found === 'return ' || found === '=> '
}

function restOfLine(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(at, end < 0 ? text.length : end)
}

/** The prefix that drops a result, in languages without declared types. */
const NOTHING: Partial<Record<LanguageFamily, string>> = {
  js: 'void ',
  ts: 'void ',
  python: 'None and ',
  ruby: 'nil && ',
  php: 'null && ',
  lua: 'nil and ',
  perl: '0 && ',
}

/** The prefix is a syntax error before an arrow function or `yield`. */
function taken(found: string, family: LanguageFamily, rest: string): string {
  const nothing = NOTHING[family]
  const after = rest.slice(found.length)
  if (nothing === undefined || /^(?:async|yield)\b|^\(?[\w\s,.{}[\]=:]{0,120}\)?\s{0,4}=>/.test(after)) return found
  if (found === '=> ' && family !== 'js' && family !== 'ts') return found
  return `${found}${nothing}`
}

export const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<=': '>',
  '>=': '<',
  '<': '>=',
  '>': '<=',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '+': '-',
  '-': '+',
  '*': '+',
  '/': '*',
  '%': '+',
  true: 'false',
  false: 'true',
  True: 'False',
  False: 'True',
  and: 'or',
  or: 'and',
  not: '',
}

export function otherNumber(digits: string): string {
  return digits.includes('.') ? `${digits}1` : String(BigInt(digits) + 1n)
}

function turned(found: string, family: LanguageFamily): string {
  if (/^\d/.test(found)) return otherNumber(found)
  // In the shell `<` and `>` redirect, and `-` begins a flag.
  if (family === 'shell' && !/^(?:&&|\|\||==|!=)$/.test(found)) return found
  return OPPOSITES[found] ?? found
}

/** Changes the first letter of a non-empty string; of a template only literal text, never a placeholder. */
function wrongText(quoted: string): string {
  const found = /^("""|'''|["'`])([\s\S]*)(\1)$/.exec(quoted)
  if (found === null) return quoted
  const [, open = '', body = '', close = ''] = found
  if (body === '' || body.startsWith('${') || body.startsWith('{')) return quoted
  return `${open}~${body}${close}`
}
