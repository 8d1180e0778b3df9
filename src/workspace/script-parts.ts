/**
 * Files that hold many things, of which only a part says how gates run: that part is what is protected. Each reader takes a file's text
 * and gives the parts by name; text it cannot read has no parts. Pure.
 */
import * as read from './read-json.ts'

export type Parts = Record<string, string>

/** Keys of package.json by which test runners and coverage tools are set up. */
const RUNNER_KEYS = ['jest', 'vitest', 'mocha', 'ava', 'c8', 'nyc', 'tap']

export function packageScripts(text: string): Record<string, string> {
  return read.record(read.field(read.json(text), 'scripts'), read.text)
}

export function packageRunnerKeys(text: string): Parts {
  const json = read.json(text)
  const found = RUNNER_KEYS.map((key) => [key, read.field(json, key)] as const).filter(
    ([, value]) => value !== null,
  )
  return Object.fromEntries(found.map(([key, value]) => [key, JSON.stringify(value)]))
}

/** Values may be a line, or a list of lines. */
export function composerScripts(text: string): Record<string, string> {
  return read.record(read.field(read.json(text), 'scripts'), (value) =>
    Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('\n') : read.text(value),
  )
}

interface Rule {
  /** The whole text of the rule. */
  text: string
  needs: string[]
  /** The lines it runs. */
  recipe: string
}

export interface Makefile {
  rules: Record<string, Rule>
  variables: Record<string, string>
  /** Lines that change how every rule runs. */
  settings: string
  first: string | null
}

export function readMakefile(text: string): Makefile {
  const make: Makefile = { rules: {}, variables: {}, settings: '', first: null }
  const settings: string[] = []
  let current: Rule[] = []
  for (const line of text.replaceAll(/\\\r?\n[ \t]*/g, ' ').split(/\r?\n/)) {
    if (/^\t|^ {2,}\S/.test(line) && current.length > 0) {
      for (const rule of current) {
        rule.text += `\n${line}`
        rule.recipe += `${line.trim().replace(/^[@+-]+/, '')}\n`
      }
      continue
    }
    const variable = /^(?:export\s+|override\s+)*([\w.-]+)\s*(?:[:?+!]|::)?=\s*(.*)$/.exec(line)
    const rule = /^([^\s#:=][^:=#]*?)\s*::?(?!=)\s*([^#;]*)(?:;\s*(.*))?/.exec(line)
    if (variable !== null) {
      const name = variable[1] ?? ''
      make.variables[name] = line.includes('+=')
        ? `${make.variables[name] ?? ''} ${variable[2] ?? ''}`
        : (variable[2] ?? '')
      if (/^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|PATH)$/.test(name)) settings.push(line)
      current = []
    } else if (rule !== null) {
      const needs = (rule[2] ?? '').split(/\s+/).filter((word) => word !== '' && word !== '|')
      const targets = (rule[1] ?? '').split(/\s+/)
      current = targets.map((target) => {
        const own = (make.rules[target] ??= { text: '', needs: [], recipe: '' })
        own.text += `${own.text === '' ? '' : '\n'}${line}`
        own.needs.push(...needs)
        own.recipe += rule[3] === undefined ? '' : `${rule[3]}\n`
        return own
      })
      if (targets.some((target) => /^\.(?:IGNORE|ONESHELL|DEFAULT)/.test(target))) settings.push(line)
      if (make.first === null && !(targets[0] ?? '.').startsWith('.')) make.first = targets[0] ?? null
    } else if (/^-?include\s|^sinclude\s/.test(line)) {
      settings.push(line)
    } else if (line.trim() !== '' && !line.startsWith('#')) current = []
  }
  make.settings = settings.join('\n')
  return make
}

/** Recipes of a justfile. */
export function readJustfile(text: string): Makefile {
  const just: Makefile = { rules: {}, variables: {}, settings: '', first: null }
  const settings: string[] = []
  let current: Rule | null = null
  for (const line of text.split(/\r?\n/)) {
    if (/^\s+\S/.test(line) && current !== null) {
      current.text += `\n${line}`
      current.recipe += `${line.trim().replace(/^[@-]+/, '')}\n`
      continue
    }
    const recipe = /^@?([\w-]+)(?:\s[^:=]*)?:(?!=)\s*(.*)$/.exec(line)
    const variable = /^(?:export\s+)?([\w-]+)\s*:=\s*(.*)$/.exec(line)
    if (variable !== null) just.variables[variable[1] ?? ''] = variable[2] ?? ''
    else if (recipe !== null) {
      const needs = (recipe[2] ?? '').replace(/#.*/, '').split(/[\s()&]+/)
      current = { text: line, needs: needs.filter((word) => word !== ''), recipe: '' }
      just.rules[recipe[1] ?? ''] = current
      just.first ??= recipe[1] ?? null
    } else if (/^(?:set|import|mod)\b/.test(line)) settings.push(line)
    else if (line.trim() !== '' && !line.startsWith('#')) current = null
  }
  just.settings = settings.join('\n')
  return just
}

/** Variables that a rule uses, and those that they use. */
export function variablesIn(text: string, all: Record<string, string>): Record<string, string> {
  const used: Record<string, string> = {}
  const queue = [text]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const match of next.matchAll(/\$[({]([\w.-]+)[)}]|\{\{\s*([\w-]+)\s*\}\}/g)) {
      const name = match[1] ?? match[2] ?? ''
      const value = Object.hasOwn(all, name) ? all[name] : undefined
      if (value === undefined || Object.hasOwn(used, name)) continue
      used[name] = value
      queue.push(value)
    }
  }
  return used
}

/** A recipe as the shell gets it. */
export function expand(recipe: string, variables: Record<string, string>): string {
  let text = recipe.replaceAll(/\$[({]MAKE[)}]/g, 'make')
  for (let round = 0; round < 3; round++) {
    text = text.replaceAll(
      /\$[({]([\w.-]+)[)}]|\{\{\s*([\w-]+)\s*\}\}/g,
      (whole: string, make?: string, just?: string) => {
        const name = make ?? just ?? ''
        return Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole
      },
    )
  }
  return text.replaceAll('$$', '$')
}

/** How test runners are set up inside files that are mostly about something else. */
export const SHARED: { name: RegExp; parts: (text: string) => Parts }[] = [
  {
    name: /^pyproject\.toml$/,
    parts: (text) => sections(text, /^tool\.(?:pytest|tox|coverage|nox|hatch\.envs)/),
  },
  { name: /^setup\.cfg$/, parts: (text) => sections(text, /^(?:tool:pytest|coverage:|tox|testenv)/) },
  { name: /^Cargo\.toml$/, parts: cargoParts },
  { name: /^pom\.xml$/, parts: pomParts },
  { name: /^build\.gradle(?:\.kts)?$/, parts: gradleParts },
  { name: /^vite\.config\.\w+$/, parts: (text) => named('test', block(text, /\btest\s*:\s*\{/)) },
]

/** How checkers are set up, where only some words weaken them. For gates that run them. */
export const STRICTNESS: { name: RegExp; program: RegExp; parts: (text: string) => Parts }[] = [
  { name: /^tsconfig[\w.-]*\.json$/, program: /^(?:tsc|tsgo|vue-tsc|svelte-check)$/, parts: tsconfigParts },
  { name: /^pyproject\.toml$/, program: /^mypy$/, parts: (text) => sections(text, /^tool\.mypy/) },
  { name: /^pyproject\.toml$/, program: /^ruff$/, parts: (text) => sections(text, /^tool\.ruff/) },
  { name: /^pyproject\.toml$/, program: /^pyright$/, parts: (text) => sections(text, /^tool\.pyright/) },
  { name: /^pyproject\.toml$/, program: /^black$/, parts: (text) => sections(text, /^tool\.black/) },
  { name: /^setup\.cfg$/, program: /^(?:mypy|flake8)$/, parts: (text) => sections(text, /^(?:mypy|flake8)/) },
  { name: /^Cargo\.toml$/, program: /^cargo$/, parts: (text) => sections(text, /^(?:workspace\.)?lints/) },
]

/** Tables of a TOML or INI file, by their heading; comments and empty lines do not count. */
function sections(text: string, wanted: RegExp): Parts {
  const parts: Parts = {}
  let heading: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[+\s*([^[\]]+?)\s*\]+\s*(?:#.*)?$/.exec(line)?.[1]
    if (name !== undefined) heading = wanted.test(name) ? `[${name}]` : null
    if (heading === null || /^\s*(?:#.*|;.*)?$/.test(line)) continue
    parts[heading] = `${parts[heading] ?? ''}${line.trimEnd()}\n`
  }
  return parts
}

function cargoParts(text: string): Parts {
  const parts = sections(text, /^(?:test|bench)$/)
  for (const [heading, body] of Object.entries(sections(text, /^(?:package|lib|bin|profile\.test)$/))) {
    const lines = body
      .split('\n')
      .filter((line) => /^\s*(?:test|harness|doctest|autotests|autobenches)\s*=/.test(line))
    if (lines.length > 0) parts[heading] = lines.join('\n')
  }
  return parts
}

function pomParts(text: string): Parts {
  const plugins = [
    ...text.matchAll(
      /<plugin>(?:(?!<\/plugin>)[\s\S])*?<artifactId>maven-(?:surefire|failsafe)[\s\S]*?<\/plugin>/g,
    ),
  ]
  const flags = [
    ...text.matchAll(/<(?:skipTests|maven\.test\.\w+(?:\.\w+)*|skipITs|testFailureIgnore)>[^<]*/g),
  ]
  return named('test', [...plugins, ...flags].map(([found]) => found.replaceAll(/\s+/g, ' ')).join('\n'))
}

function gradleParts(text: string): Parts {
  const blocks = [
    /^\s*test\s*\{/m,
    /\btasks\.(?:test|named(?:<Test>)?\(\s*['"]test['"][^)]*\)|withType(?:<Test>\(?|\(Test[^)]*\)?)\)?)\s*\{/,
  ].map((start) => block(text, start))
  const lines = text
    .split('\n')
    .filter((line) => /\btest\.(?:enabled|onlyIf)|ignoreFailures|excludeTestsMatching/.test(line))
  return named('test', [...blocks, ...lines].filter((part) => part !== '').join('\n'))
}

/** From a beginning to the brace that closes it. */
function block(text: string, start: RegExp): string {
  const match = start.exec(text)
  if (match === null) return ''
  let depth = 0
  for (let i = match.index; i < text.length; i++) {
    if (text[i] === '{') depth += 1
    else if (text[i] === '}' && --depth === 0) return text.slice(match.index, i + 1)
  }
  return text.slice(match.index)
}

function named(name: string, text: string): Parts {
  return text.trim() === '' ? {} : { [name]: text }
}

const STRICT_KEYS =
  /^(?:strict\w*|no(?:Implicit|Unchecked|Unused|Fallthrough|PropertyAccess)\w*|exactOptionalPropertyTypes|use\w+InCatch\w*|checkJs|skipLibCheck|noCheck|allowUnreachableCode|isolatedDeclarations)$/

function tsconfigParts(text: string): Parts {
  const json = read.json(withoutComments(text))
  const own = ['files', 'include', 'exclude', 'extends', 'references'].map(
    (key) => [key, read.field(json, key)] as const,
  )
  const options = Object.entries(
    read.record(read.field(json, 'compilerOptions'), (value) => JSON.stringify(value)),
  )
  const all = [
    ...own.filter(([, value]) => value !== null).map(([key, value]) => [key, JSON.stringify(value)] as const),
    ...options.filter(([key]) => STRICT_KEYS.test(key)),
  ]
  return Object.fromEntries(all)
}

/** JSON with comments and commas at the end, as TypeScript reads it. */
function withoutComments(text: string): string {
  return text
    .replaceAll(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_, quoted: string | undefined) => quoted ?? '',
    )
    .replaceAll(/,(\s*[}\]])/g, '$1')
}
