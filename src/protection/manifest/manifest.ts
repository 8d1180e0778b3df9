/**
 * Manifests hold both: the package itself (version, entry points, dependencies) and how it is tested (scripts, sections of tools, members
 * of a workspace, overrides). In the step *original tests* a manifest is the base's with only the first part of the change applied.
 *
 * `type` of package.json is protected: it says how every `.js` file is loaded, tests and configuration included. So are `imports` and
 * `name`, by which tests find their helpers, and `engines`, by which tools choose how they behave.
 */
import { stringify } from 'smol-toml'
import { ownField, isObject, jsonOrNull, type JsonObject, asText } from '../../core/text/json.ts'
import { isSameValue, asList, asTable, tomlOrNull } from '../parse-data.ts'
import { parseGoRequires, requirementLines } from './dependencies.ts'
import { manifestKind } from '../file-kinds.ts'
import { assertNever } from '../../core/assert-never.ts'

export type MergedManifest =
  /** The whole change is source. */
  | { is: 'work' }
  | { is: 'protected'; why: string }
  /** `text` is the file's content in the step *original tests*. */
  | { is: 'mixed'; text: string; why: string }

export interface MergeRules {
  /** Whether to accept the dependencies, all or none, because they must match the lock file. */
  takesDependencies: boolean
  /** Whether this path in the manifest's folder may be an entry point of the source. */
  isEntry: (path: string) => boolean
  /** Whether a gate's command contains this word: a program of that name would shadow a tool. */
  isCommand: (name: string) => boolean
}

export function mergeManifest(path: string, base: string, final: string, rules: MergeRules): MergedManifest {
  const kind = manifestKind(path)
  switch (kind) {
    case 'package.json':
      return mergeParsed(JSON_FORMAT, base, final, (at, old, now) => packageRule(at, { old, now, rules }))
    case 'composer.json':
      return mergeParsed(JSON_FORMAT, base, final, (at, old, now) => composerRule(at, { old, now, rules }))
    case 'pyproject.toml':
      return mergeParsed(TOML_FORMAT, base, final, (at, old, now) => pyprojectRule(at, { old, now, rules }))
    case 'Cargo.toml':
      return mergeParsed(TOML_FORMAT, base, final, (at, old, now) => cargoRule(at, { old, now, rules }))
    case 'requirements.txt':
      return mergeLines(base, final, { rules, linesOf: requirementLines, isAdded: (line) => !line.startsWith('-') })
    case 'Gemfile':
      return mergeLines(base, final, {
        rules,
        linesOf: (content) =>
          content
            .split(/\r?\n/)
            .map((line) => line.trim())
            .filter((line) => line !== '' && !line.startsWith('#')),
        isAdded: (line) => /^gem[ \t(]{1,4}['"][\w.-]{1,100}['"](?:,[ \t]{0,4}['"][^'"]{0,60}['"]){0,4}\)?$/.test(line),
      })
    case 'go.mod':
      return mergeGo(base, final, rules)
    case null:
      return { is: 'protected', why: 'Ralph does not know which part of it is source' }
    default:
      return assertNever(kind)
  }
}

// Tables: package.json, composer.json, pyproject.toml, Cargo.toml

type Rule = 'work' | 'protected' | 'into'
type RuleOf = (at: readonly string[], old: unknown, now: unknown) => Rule

/** The most keys that a message names. */
const NAMED = 4

function mergeTables(base: JsonObject, final: JsonObject, ruleFor: RuleOf): { merged: JsonObject; left: string[] } {
  const left: string[] = []
  const walk = (old: JsonObject, now: JsonObject, above: readonly string[]): JsonObject => {
    const entries: [string, unknown][] = []
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const at = [...above, key]
      const [before, after] = [own(old, key), own(now, key)]
      const rule = isSameValue(before, after) ? 'work' : ruleFor(at, before, after)
      if (rule === 'into' && (before === undefined || isObject(before)) && (after === undefined || isObject(after))) {
        const inner = walk(before ?? {}, after ?? {}, at)
        if (Object.keys(inner).length > 0 || (before !== undefined && after !== undefined)) entries.push([key, inner])
        continue
      }
      if (rule !== 'work') left.push(at.join('.'))
      const taken = rule === 'work' ? after : before
      if (taken !== undefined) entries.push([key, taken])
    }
    return Object.fromEntries(entries)
  }
  return { merged: walk(base, final, []), left }
}

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

interface Format {
  name: string
  parse: (content: string) => unknown
  write: (value: JsonObject) => string
}

const JSON_FORMAT: Format = { name: 'JSON', parse: jsonOrNull, write: (value) => JSON.stringify(value, null, 2) }
const TOML_FORMAT: Format = { name: 'TOML', parse: tomlOrNull, write: stringify }

function mergeParsed({ name, parse, write }: Format, base: string, final: string, ruleFor: RuleOf): MergedManifest {
  const [old, now] = [parse(base), parse(final)]
  if (!isObject(old) || !isObject(now)) return { is: 'protected', why: `it cannot be read as ${name}` }
  if (name === 'JSON' && repeatsKeys(final)) return { is: 'protected', why: 'it has the same key twice' }
  const { merged, left } = mergeTables(old, now, ruleFor)
  if (left.length === 0) return { is: 'work' }
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  const why = `${left.slice(0, NAMED).join(', ')}${more} can change how the gates run`
  return isSameValue(merged, old) ? { is: 'protected', why } : { is: 'mixed', text: `${write(merged)}\n`, why }
}

interface RuleInput {
  old: unknown
  now: unknown
  rules: MergeRules
}

const DESCRIPTION = new Set(
  'version description keywords categories homepage bugs license license-file licenses author authors maintainers contributors funding repository man readme files documentation urls classifiers support sideEffects'.split(
    ' ',
  ),
)
const ENTRIES = new Set('main module browser types typings exports bin unpkg jsdelivr umd:main'.split(' '))

function packageRule(at: readonly string[], { old, now, rules }: RuleInput): Rule {
  const [key = ''] = at
  if (DESCRIPTION.has(key)) return 'work'
  if (/^(?:peer|dev|optional)?[dD]ependencies$/.test(key)) return rules.takesDependencies ? 'work' : 'protected'
  if (!ENTRIES.has(key)) return 'protected'
  if (
    key === 'bin' &&
    Object.keys(asTable(now)).some((name) => own(asTable(old), name) === undefined && rules.isCommand(name))
  )
    return 'protected'
  // As a table it replaces files by others, in packages too.
  if (
    key === 'browser' &&
    Object.keys({ ...asTable(old), ...asTable(now) }).some((name) => !name.startsWith('.') || !rules.isEntry(name))
  )
    return 'protected'
  return entryPaths(old).every(rules.isEntry) && entryPaths(now).every(rules.isEntry) ? 'work' : 'protected'
}

function entryPaths(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  // `"./inner/*": null` hides files and names none.
  if (value === null || value === undefined || typeof value === 'boolean') return []
  if (typeof value !== 'object' || depth > 8) return ['\0']
  return Object.values(value).flatMap((inner) => entryPaths(inner, depth + 1))
}

function composerRule(at: readonly string[], { old, now, rules }: RuleInput): Rule {
  const [key = ''] = at
  if (DESCRIPTION.has(key)) return 'work'
  if (key === 'require' || key === 'require-dev') return rules.takesDependencies ? 'work' : 'protected'
  return key === 'bin' && entryPaths(old).every(rules.isEntry) && entryPaths(now).every(rules.isEntry)
    ? 'work'
    : 'protected'
}

function pyprojectRule(at: readonly string[], { old, rules }: RuleInput): Rule {
  const path = at.join('.')
  if (/^(?:project|tool|tool\.poetry|tool\.poetry\.group|tool\.poetry\.group\.[^.]+)$/.test(path)) return 'into'
  if (/^(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)$/.test(path)) return 'into'
  if (/^(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\.[^.]+$/.test(path))
    return old !== undefined || !rules.isCommand(at.at(-1) ?? '') ? 'work' : 'protected'
  if (/^(?:project|tool\.poetry)\.[^.]+$/.test(path) && DESCRIPTION.has(at.at(-1) ?? '')) return 'work'
  // They include the version of Python.
  if (path === 'tool.poetry.dependencies') return 'into'
  if (path === 'tool.poetry.dependencies.python') return 'protected'
  const isDependency =
    /^(?:project\.(?:optional-)?dependencies|dependency-groups)$|^tool\.poetry\.(?:dev-)?dependencies\b|^tool\.poetry\.group\.[^.]+\.dependencies$/.test(
      path,
    )
  return isDependency && rules.takesDependencies ? 'work' : 'protected'
}

function cargoRule(at: readonly string[], { old, now, rules }: RuleInput): Rule {
  const path = at.join('.')
  if (path === 'package') return 'into'
  if (/^package\.[^.]+$/.test(path) && DESCRIPTION.has(at.at(-1) ?? '')) return 'work'
  if (/^(?:dev-)?dependencies$/.test(path)) return rules.takesDependencies ? 'work' : 'protected'
  // New programs, each with a name and a path, are source; any other key may disable tests.
  if (path !== 'bin' || !Array.isArray(now)) return 'protected'
  const [before, after] = [asList(old), asList(now)]
  const isKept = before.every((one) => after.some((other) => isSameValue(one, other)))
  const added = after.filter((one) => !before.some((other) => isSameValue(one, other)))
  const isPlain = (one: unknown) =>
    isObject(one) &&
    Object.keys(one).every((key) => key === 'name' || key === 'path') &&
    rules.isEntry(asText(ownField(one, 'path')) ?? 'src/main.rs')
  return isKept && added.every(isPlain) ? 'work' : 'protected'
}

/** `JSON.parse` takes the last of two equal keys; another parser may take the first. */
function repeatsKeys(content: string): boolean {
  const open: Set<string>[] = []
  for (const [token, key] of content.matchAll(/"((?:[^"\\]|\\.)*)"\s{0,100}:|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (key !== undefined) {
      const keys = open.at(-1)
      // `"a"` and `"\u0061"` are the same key.
      const name = asText(jsonOrNull(`"${key}"`)) ?? key
      if (keys?.has(name) === true) return true
      keys?.add(name)
    }
  }
  return false
}

// Lines: requirements.txt, Gemfile, go.mod

interface LineRules {
  rules: MergeRules
  linesOf: (content: string) => string[]
  isAdded: (line: string) => boolean
}

/** Dependencies are compared elsewhere; every other line must keep its text and its position. */
function mergeLines(base: string, final: string, { rules, linesOf, isAdded }: LineRules): MergedManifest {
  const [old, now] = [linesOf(base), linesOf(final)]
  const [before, after] = [new Set(old), new Set(now)]
  const different = [...now.filter((line) => !before.has(line)), ...old.filter((line) => !after.has(line))]
  const isFine = different.length === 0 || (rules.takesDependencies && different.every(isAdded))
  // A Ruby block or an option above them changes the meaning of the same lines.
  const isInOrder =
    now.filter((line) => before.has(line)).join('\n') === old.filter((line) => after.has(line)).join('\n')
  return isFine && isInOrder ? { is: 'work' } : { is: 'protected', why: 'it has changes other than added packages' }
}

/** `require` lines are dependencies; everything else (`replace`, `exclude`, `toolchain`, `go`) affects the build. */
function mergeGo(base: string, final: string, { takesDependencies }: MergeRules): MergedManifest {
  const rest = (content: string) => goRest(content).join('\n')
  const [old, now] = [parseGoRequires(base), parseGoRequires(final)]
  const before = new Set(old.map(({ name }) => name))
  const added = now.filter(({ name }) => !before.has(name))
  const isSameCooldown = rest(base) === rest(final)
  if (isSameCooldown && (takesDependencies || isSameValue(asked(old), asked(now)))) return { is: 'work' }
  const why = isSameCooldown ? 'the version of an existing package changed' : 'it has changes other than `require`'
  if (!takesDependencies || added.length === 0) return { is: 'protected', why }
  const lines = added.map(({ name, asks }) => `require ${name} ${asks}\n`).join('')
  return { is: 'mixed', text: `${base.trimEnd()}\n\n${lines}`, why }
}

function asked(all: ReturnType<typeof parseGoRequires>): string[] {
  return all.map(({ name, asks }) => `${name} ${asks}`).toSorted()
}

function goRest(content: string): string[] {
  const lines: string[] = []
  let block = ''
  for (const raw of content.split(/\r?\n/)) {
    const line = raw
      .replace(/\/\/.{0,300}$/, '')
      .trim()
      .replaceAll(/[ \t]+/g, ' ')
    const open = /^(\w{1,20}) ?\($/.exec(line)?.[1]
    if (open !== undefined) block = open
    else if (line === ')') block = ''
    else if (line !== '' && block !== 'require' && !line.startsWith('require ')) lines.push(`${block} ${line}`.trim())
  }
  return lines
}
