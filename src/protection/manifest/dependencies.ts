/**
 * Compares a project's dependencies. Adding one from a registry is source, and so is removing one that no protected file uses. Another
 * version, another package source, or a tool that acts by being installed is protected. `compare-locks.ts` compares lock files.
 */
import { type Ecosystem, ecosystemOf, manifestKind, type ManifestKind } from '../file-kinds.ts'
import { ownField, isObject, jsonOrNull, type JsonObject, asText } from '../../core/text/json.ts'
import { asList, asTable, tomlOrNull } from '../parse-data.ts'

/** How the base uses a package name. */
export interface PackageUses {
  /** A test, a configuration or a command of the base names it. */
  byProtected: (name: string) => boolean
  /** A package of this tree has the name, so it does not come from the registry. */
  isLocal: (name: string) => boolean
}

export type ClassifiedDependencies = { is: 'same' | 'fine' } | { is: 'protected'; why: string }

/** One package that the manifest requires. */
interface Dependency {
  name: string
  asks: string
  /** Under its own name: no path, address, alias or neighbour. */
  isFromRegistry: boolean
  isRuntime: boolean
}

export function classifyDependencyChange(
  path: string,
  base: string,
  final: string,
  uses: PackageUses,
): ClassifiedDependencies {
  const kind = manifestKind(path)
  if (kind === null) return { is: 'same' }
  const [old, now] = [byName(dependenciesOf(kind, base)), byName(dependenciesOf(kind, final))]
  if (old === null || now === null) return { is: 'protected', why: `the dependencies in ${path} cannot be read` }
  let isSame = true
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [before, after] = [old.get(name), now.get(name)]
    if (before !== undefined && after !== undefined && asked(before) === asked(after)) continue
    isSame = false
    const why = refusal({ name, before, after, ecosystem: ecosystemOf(kind), uses })
    if (why !== null) return { is: 'protected', why }
  }
  return { is: isSame ? 'same' : 'fine' }
}

interface Change {
  name: string
  before: Dependency[] | undefined
  after: Dependency[] | undefined
  ecosystem: Ecosystem
  uses: PackageUses
}

function refusal({ name, before, after, ecosystem, uses }: Change): string | null {
  if (before === undefined && after !== undefined) {
    if (after.some(({ isFromRegistry }) => !isFromRegistry))
      return `${name} is an alias or does not come from a registry`
    if (uses.isLocal(name)) return `${name} is also the name of a package in this tree`
    return isDevTool(name, ecosystem) ? `${name} is a tool that can affect the gates as soon as it is installed` : null
  }
  if (before !== undefined && after !== undefined) return `the requirement for ${name} changed`
  const isFree = before?.every(({ isRuntime }) => isRuntime) === true && !isDevTool(name, ecosystem)
  return isFree && !uses.byProtected(name) ? null : `${name} was removed`
}

/** Packages that affect the gates as soon as they are installed: test runners, their plug-ins, compilers, linters. */
export function isDevTool(name: string, ecosystem: Ecosystem): boolean {
  switch (ecosystem) {
    case 'npm':
      return /^(?:@?(?:jest|vitest|mocha|karma|ava|tap|nyc|c8|babel|eslint|prettier|stylelint|playwright|cypress|jasmine|swc|oxlint|biomejs)(?:$|[-/])|@web\/|ts-node|tsx$|typescript$|esbuild-register|(?:ts|babel|esbuild|swc)-jest$|chai$|sinon$|tape$|uvu$|npm$|yarn$|pnpm$|corepack$)|prettier-plugin|(?:^|\/)eslint-(?:plugin|config)/.test(
        name,
      )
    case 'python':
      return /^(?:pytest|nose|hypothesis|coverage|tox|nox|unittest|mock$|sitecustomize|usercustomize|flake8|pylint|mypy|ruff|black|isort|pyright|xdist|setuptools|pip$|wheel$|behave|conftest)/.test(
        name,
      )
    case 'php':
      return (
        /^(?:phpunit|pestphp|mockery|phpstan|vimeo|squizlabs|friendsofphp|dealerdirect|infection|composer)\//.test(
          name,
        ) || /plugin/.test(name)
      )
    case 'ruby':
      return /^(?:rspec|minitest|test-unit|rake$|bundler$|simplecov|rubocop|mocha$|guard)/.test(name)
    case 'cargo':
    case 'go':
      return false
  }
}

function asked(all: readonly Dependency[]): string {
  return [...new Set(all.map(({ asks }) => asks))].toSorted().join(' and ')
}

function byName(all: Dependency[] | null): Map<string, Dependency[]> | null {
  if (all === null) return null
  const found = new Map<string, Dependency[]>()
  for (const one of all) found.set(one.name, [...(found.get(one.name) ?? []), one])
  return found
}

function dependenciesOf(kind: ManifestKind, content: string): Dependency[] | null {
  switch (kind) {
    case 'package.json': {
      const data = jsonOrNull(content)
      if (!isObject(data)) return null
      return ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'].flatMap((key) =>
        fromTable(ownField(data, key), key !== 'devDependencies', npmRange),
      )
    }
    case 'composer.json': {
      const data = jsonOrNull(content)
      if (!isObject(data)) return null
      return ['require', 'require-dev'].flatMap((key) => fromTable(ownField(data, key), key === 'require', npmRange))
    }
    case 'Cargo.toml':
      return cargoDependencies(tomlOrNull(content))
    case 'pyproject.toml':
      return pythonDependencies(tomlOrNull(content))
    case 'requirements.txt':
      return requirementLines(content).flatMap((line) => pep508(line, true))
    case 'go.mod':
      return parseGoRequires(content)
    case 'Gemfile':
      return gems(content)
  }
}

/** A gem with nothing but versions behind its name; every other line of a Gemfile is protected (`manifest.ts`). */
function gems(content: string): Dependency[] {
  return [...content.matchAll(/^[ \t]{0,20}gem[ \t(]{1,4}['"]([\w.-]{1,100})['"]([^\n]{0,300})$/gm)].map(
    ([, name = '', rest = '']) => {
      const isPlain = /^(?:,[ \t]{0,4}['"][^'"\n]{0,60}['"]){0,4}\)?[ \t]{0,4}$/.test(rest)
      return dependency(name, { range: isPlain ? rest.trim() : null, raw: rest, isRuntime: true })
    },
  )
}

function fromTable(value: unknown, isRuntime: boolean, read: (value: unknown) => string | null): Dependency[] {
  return Object.entries(asTable(value)).map(([name, spec]) =>
    dependency(name, { range: read(spec), raw: spec, isRuntime }),
  )
}

/** `range` is null where the package does not come from the registry under its own name. */
function dependency(
  name: string,
  { range, raw, isRuntime }: { range: string | null; raw: unknown; isRuntime: boolean },
): Dependency {
  return { name, asks: range ?? JSON.stringify(raw) ?? '', isFromRegistry: range !== null, isRuntime }
}

/** A range or a tag of the registry, not a path, an address, an alias or another package of the tree. */
function npmRange(value: unknown): string | null {
  const range = asText(value)
  if (range === null || range.length > 200 || /[:/\\@]|\.(?:tgz|tar|gz)$|^file/i.test(range)) return null
  return range.trim()
}

function cargoDependencies(data: unknown): Dependency[] | null {
  if (!isObject(data)) return null
  const targets = Object.values(asTable(ownField(data, 'target')))
  return [data, ...targets].flatMap((part) =>
    ['dependencies', 'dev-dependencies', 'build-dependencies'].flatMap((key) =>
      fromTable(ownField(part, key), key === 'dependencies', (value) =>
        key === 'build-dependencies' ? null : rangeOf(value, CARGO_KEYS),
      ),
    ),
  )
}

const CARGO_KEYS = ['version', 'features', 'optional', 'default-features']
const POETRY_KEYS = ['version', 'extras', 'optional', 'python', 'markers']

/** A version, or a table with a version and no other keys than these. */
function rangeOf(value: unknown, keys: readonly string[]): string | null {
  if (typeof value === 'string') return value
  if (!isObject(value) || asText(value['version']) === null) return null
  return Object.keys(value).every((key) => keys.includes(key)) ? JSON.stringify(value) : null
}

function pythonDependencies(data: unknown): Dependency[] | null {
  if (!isObject(data)) return null
  const project = ownField(data, 'project')
  const poetry = ownField(ownField(data, 'tool'), 'poetry')
  const lists = (value: unknown, isRuntime: boolean) => asList(value).flatMap((one) => pep508(one, isRuntime))
  const poetryRange = (value: unknown) => rangeOf(value, POETRY_KEYS)
  return [
    ...lists(ownField(project, 'dependencies'), true),
    ...Object.values(asTable(ownField(project, 'optional-dependencies'))).flatMap((list) => lists(list, false)),
    ...Object.values(asTable(ownField(data, 'dependency-groups'))).flatMap((list) => lists(list, false)),
    ...fromTable(withoutPython(ownField(poetry, 'dependencies')), true, poetryRange),
    ...fromTable(ownField(poetry, 'dev-dependencies'), false, poetryRange),
    ...Object.values(asTable(ownField(poetry, 'group'))).flatMap((group) =>
      fromTable(ownField(group, 'dependencies'), false, poetryRange),
    ),
  ].map((one) => ({ ...one, name: normalizePythonName(one.name) }))
}

function withoutPython(value: unknown): JsonObject {
  return Object.fromEntries(Object.entries(asTable(value)).filter(([name]) => name !== 'python'))
}

/** `name[extra]>=1,<2; marker`, without an address. */
function pep508(value: unknown, isRuntime: boolean): Dependency[] {
  const found =
    /^\s{0,8}([A-Za-z\d][\w.-]{0,100})\s{0,8}(\[[\w ,.-]{0,200}\])?\s{0,8}([^;]{0,300})(;[^\n]{0,300})?$/.exec(
      asText(value) ?? '',
    )
  if (found === null) return [dependency(JSON.stringify(value ?? null), { range: null, raw: value, isRuntime })]
  const [, name = '', extras = '', range = '', marker = ''] = found
  const isRange =
    /^(?:[(]?(?:[<>=!~]=?=?\s{0,4}[\w.*+!-]{1,60}\s{0,4},?\s{0,4}){0,8}[)]?)\s{0,8}(?:--hash=\w{1,20}:[\da-f]{1,200}\s{0,8}){0,200}$/.test(
      range,
    )
  const asks = isRange ? `${extras}${range.trim()}${marker}` : null
  return [dependency(normalizePythonName(name), { range: asks, raw: value, isRuntime })]
}

/** Hashes of a requirement may be on separate lines. */
export function requirementLines(content: string): string[] {
  return content
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.{0,500}$/, '').trim())
    .filter((line) => line !== '')
}

export function normalizePythonName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]{1,10}/g, '-')
}

export function parseGoRequires(content: string): Dependency[] {
  const found: Dependency[] = []
  let block = ''
  for (const raw of content.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.{0,300}$/, '').trim()
    const open = /^(\w{1,20})[ \t]*\($/.exec(line)
    if (open !== null) block = open[1] ?? ''
    else if (line === ')') block = ''
    else {
      const [name, version] = (block === 'require' ? line : (/^require[ \t]+(.{1,400})$/.exec(line)?.[1] ?? '')).split(
        /[ \t]+/,
      )
      if (name !== undefined && name !== '' && version !== undefined)
        found.push(dependency(name, { range: version, raw: version, isRuntime: true }))
    }
  }
  return found
}

/** The packages that a manifest itself requires. */
export function directDependencyNames(path: string, content: string): string[] {
  const kind = manifestKind(path)
  return kind === null ? [] : (dependenciesOf(kind, content) ?? []).map(({ name }) => name)
}
