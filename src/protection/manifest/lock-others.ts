/** Lock files of poetry, uv, cargo and go. */
import { ownField, isObject, type JsonObject, asText } from '../../core/text/json.ts'
import { asTable } from '../parse-data.ts'
import { asHash, type LockedPackage, type LockFile, asTables, withoutKeys } from './lock-file.ts'

function listed(data: unknown): JsonObject[] {
  return asTables(ownField(data, 'package'))
}

/** A name alone means the only version; `serde 1.0.1` or `{ name, version }` one of several. */
function choicesOf(data: unknown): Map<string, string> {
  const versions = new Map<string, string>()
  for (const { name, version, source } of listed(data)) {
    // A crate or package of this tree may get a new version with every release.
    const isOwn =
      source === undefined || ['editable', 'virtual', 'directory'].some((key) => ownField(source, key) !== null)
    versions.set(String(name), isOwn || versions.has(String(name)) ? '' : String(version))
  }
  const choices = new Map<string, string>()
  for (const entry of listed(data)) {
    const asked: unknown[] = Array.isArray(entry['dependencies']) ? entry['dependencies'] : []
    for (const one of asked) {
      const [name = '', version] = asText(one)?.split(' ') ?? [
        asText(ownField(one, 'name')) ?? '',
        asText(ownField(one, 'version')) ?? undefined,
      ]
      const who = `${String(entry['name'])} ${String(entry['version'])} for ${name}`
      const got = versions.get(name) === '' && version === undefined ? '' : (version ?? versions.get(name) ?? '')
      choices.set(who, choices.has(who) ? `${choices.get(who)} and ${got}` : got)
    }
  }
  return choices
}

export function parsePoetryLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const packages = new Map<string, LockedPackage>()
  for (const entry of listed(data)) {
    const [name, version] = [asText(entry['name']) ?? '', asText(entry['version']) ?? '']
    const files: unknown[] = Array.isArray(entry['files']) ? entry['files'] : []
    const hashes = files.map((file) => asHash(ownField(file, 'hash')))
    packages.set(`${name}@${version}`, {
      name,
      version,
      source: JSON.stringify(entry['source'] ?? null),
      integrity: hashes.every((one) => one !== '') ? hashes.toSorted().join(' ') : '',
      isFromRegistry: entry['source'] === undefined,
      programs: [],
    })
  }
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
  const packages = new Map<string, LockedPackage>()
  const members: unknown[] = []
  for (const entry of listed(data)) {
    const [name, version, source] = [
      asText(entry['name']) ?? '',
      asText(entry['version']) ?? '',
      asTable(entry['source']),
    ]
    if (['editable', 'virtual', 'directory'].some((key) => source[key] !== undefined)) {
      members.push({ name, source })
      continue
    }
    const wheels: unknown[] = Array.isArray(entry['wheels']) ? entry['wheels'] : []
    const hashes = [...wheels, ...(entry['sdist'] === undefined ? [] : [entry['sdist']])].map((file) =>
      asHash(ownField(file, 'hash')),
    )
    packages.set(`${name}@${version}`, {
      name,
      version,
      source: JSON.stringify(source),
      integrity: hashes.every((one) => one !== '') ? hashes.toSorted().join(' ') : '',
      isFromRegistry: asText(source['registry'])?.startsWith('https://') === true && Object.keys(source).length === 1,
      programs: [],
    })
  }
  const rest = { ...withoutKeys(data, new Set(['package'])), members }
  return { packages, choices: choicesOf(data), rest, isKeyedByPath: false }
}

export function parseCargoLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const packages = new Map<string, LockedPackage>()
  const members: unknown[] = []
  for (const entry of listed(data)) {
    const [name, version, source] = [
      asText(entry['name']) ?? '',
      asText(entry['version']) ?? '',
      asText(entry['source']),
    ]
    // Without a source it is a crate of this tree.
    if (source === null) {
      members.push(name)
      continue
    }
    packages.set(`${name}@${version}`, {
      name,
      version,
      source,
      integrity: asHash(entry['checksum']),
      isFromRegistry: /^(?:registry|sparse)\+https:\/\//.test(source),
      programs: [],
    })
  }
  const rest = { ...withoutKeys(data, new Set(['package'])), members }
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
