/** Lock files of poetry, uv, cargo and go. */
import { ownField, isObject, type JsonObject, asText } from '../../core/text/json.ts'
import { asList, asTable } from '../parse-data.ts'
import { asHash, type LockedPackage, type LockFile, withoutKeys } from './lock-file.ts'

function listed(data: unknown): JsonObject[] {
  return asList(ownField(data, 'package')).map(asTable)
}

function isOfThisTree(source: unknown): boolean {
  return ['editable', 'virtual', 'directory'].some((key) => ownField(source, key) !== null)
}

/** A name alone means the only version; `serde 1.0.1` or `{ name, version }` one of several. */
function choicesOf(data: unknown): Map<string, string> {
  const versions = new Map<string, string>()
  for (const { name, version, source } of listed(data)) {
    // A crate or package of this tree may get a new version with every release.
    const isOwn = source === undefined || isOfThisTree(source)
    versions.set(String(name), isOwn || versions.has(String(name)) ? '' : String(version))
  }
  const choices = new Map<string, string>()
  for (const entry of listed(data)) {
    for (const one of asList(entry['dependencies'])) {
      const [name = '', version] =
        asText(one)?.split(' ') ?? ['name', 'version'].map((key) => asText(ownField(one, key)) ?? undefined)
      const who = `${String(entry['name'])} ${String(entry['version'])} for ${name}`
      const got = versions.get(name) === '' && version === undefined ? '' : (version ?? versions.get(name) ?? '')
      choices.set(who, choices.has(who) ? `${choices.get(who)} and ${got}` : got)
    }
  }
  return choices
}

/** Packages by name and version. `contentOf` returns null for a package of this tree, a member. */
function parsePackages(
  data: JsonObject,
  contentOf: (entry: JsonObject) => Pick<LockedPackage, 'source' | 'integrity' | 'isFromRegistry'> | null,
): { packages: Map<string, LockedPackage>; members: JsonObject[] } {
  const packages = new Map<string, LockedPackage>()
  const members: JsonObject[] = []
  for (const entry of listed(data)) {
    const [name, version] = [asText(entry['name']) ?? '', asText(entry['version']) ?? '']
    const content = contentOf(entry)
    if (content === null) members.push(entry)
    else packages.set(`${name}@${version}`, { name, version, ...content, programs: [] })
  }
  return { packages, members }
}

/** The hashes of all files of a package; empty if one has none. */
function integrityOf(files: unknown[]): string {
  const hashes = files.map((file) => asHash(ownField(file, 'hash')))
  return hashes.every((one) => one !== '') ? hashes.toSorted().join(' ') : ''
}

export function parsePoetryLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const { packages } = parsePackages(data, ({ source, files }) => ({
    source: JSON.stringify(source ?? null),
    integrity: integrityOf(asList(files)),
    isFromRegistry: source === undefined,
  }))
  const { 'content-hash': _hash, ...metadata } = asTable(data['metadata'])
  return {
    packages,
    choices: new Map(),
    rest: { ...withoutKeys(data, new Set(['package', 'metadata', 'extras'])), metadata },
    isKeyedByPath: false,
  }
}

export function parseUvLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const { packages, members } = parsePackages(data, (entry) => {
    const source = asTable(entry['source'])
    if (isOfThisTree(source)) return null
    return {
      source: JSON.stringify(source),
      integrity: integrityOf([...asList(entry['wheels']), ...(entry['sdist'] === undefined ? [] : [entry['sdist']])]),
      isFromRegistry: asText(source['registry'])?.startsWith('https://') === true && Object.keys(source).length === 1,
    }
  })
  const own = members.map(({ name, source }) => ({ name: asText(name) ?? '', source: asTable(source) }))
  const rest = { ...withoutKeys(data, new Set(['package'])), members: own }
  return { packages, choices: choicesOf(data), rest, isKeyedByPath: false }
}

export function parseCargoLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const { packages, members } = parsePackages(data, ({ source: from, checksum }) => {
    const source = asText(from)
    // Without a source it is a crate of this tree.
    if (source === null) return null
    const isFromRegistry = /^(?:registry|sparse)\+https:\/\//.test(source)
    return { source, integrity: asHash(checksum), isFromRegistry }
  })
  const own = members.map(({ name }) => asText(name) ?? '')
  const rest = { ...withoutKeys(data, new Set(['package'])), members: own }
  return { packages, choices: choicesOf(data), rest, isKeyedByPath: false }
}

/** go.mod chooses the version; this file has only hashes, also of versions that are not used. */
export function parseGoSum(content: string): LockFile | null {
  const packages = new Map<string, LockedPackage>()
  for (const line of content.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [name = '', version = '', sum = '', ...more] = line.trim().split(/\s+/)
    const key = `${name}@${version}`
    if (more.length > 0 || sum === '' || packages.has(key)) return null
    packages.set(key, { name: key, version, source: '', integrity: asHash(sum), isFromRegistry: true, programs: [] })
  }
  return { packages, choices: new Map(), rest: null, isKeyedByPath: false }
}
