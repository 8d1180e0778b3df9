/** Lock files of npm, yarn and pnpm. */
import { ownField, isObject, type JsonObject, asText } from '../../core/text/json.ts'
import { asTable } from '../parse-data.ts'
import { asHash, type LockedPackage, type LockFile, withoutKeys } from './lock-file.ts'

/** Versions 2 and 3. Version 1 has no `packages` and is protected. */
export function parseNpmLock(data: unknown): LockFile | null {
  const all = ownField(data, 'packages')
  if (!isObject(data) || !isObject(all)) return null
  const packages = new Map<string, LockedPackage>()
  const members: [string, unknown][] = []
  for (const [place, entry] of Object.entries(all)) {
    const at = place.lastIndexOf('node_modules/')
    if (at < 0) {
      // Dependencies of the project and its members are compared in their manifests.
      members.push([place, withoutKeys(asTable(entry), NPM_ASKED)])
      continue
    }
    const name = place.slice(at + 'node_modules/'.length)
    const source = asText(ownField(entry, 'resolved')) ?? ''
    packages.set(place, {
      name,
      version: asText(ownField(entry, 'version')) ?? '',
      source: `${source}${ownField(entry, 'link') === true ? ' (link)' : ''}${asText(ownField(entry, 'name')) ?? ''}`,
      integrity: asHash(ownField(entry, 'integrity')),
      isFromRegistry: ownField(entry, 'link') !== true && ownField(entry, 'name') === null && isTarball(source, name),
      programs: programsOf(ownField(entry, 'bin')),
    })
  }
  const { packages: _packages, dependencies: _old, version: _version, ...rest } = data
  return { packages, choices: new Map(), rest: { ...rest, members }, isKeyedByPath: true }
}

const NPM_ASKED = new Set(
  'version license dependencies devDependencies optionalDependencies peerDependencies peerDependenciesMeta bin funding description'.split(
    ' ',
  ),
)

/** Whether the address is an archive of this package, as all npm registries name them. */
function isTarball(url: string, name: string): boolean {
  if (!/^https:\/\/[\w.-]{1,200}(?::\d{1,5})?\//.test(url)) return false
  const path = decoded(url.replace(/[?#].{0,300}$/, ''))
  return path.includes(`/${name}/-/`) && path.endsWith('.tgz')
}

function decoded(url: string): string {
  return url.replaceAll(/%2f/gi, '/').replaceAll('%40', '@')
}

function programsOf(value: unknown): string[] {
  return Object.keys(asTable(value)).toSorted()
}

/** Version 1: `"a@^1", a@^2:` and indented lines below. */
export function parseYarnLock(content: string): LockFile | null {
  const [packages, choices] = [new Map<string, LockedPackage>(), new Map<string, string>()]
  for (const block of content.split(/\n(?=\S)/)) {
    const [head = '', ...lines] = block.split(/\r?\n/)
    if (head.trim() === '' || head.startsWith('#')) continue
    const asks = head
      .replace(/:\s*$/, '')
      .split(', ')
      .map((one) => one.replaceAll('"', ''))
    const name = nameBefore(asks[0] ?? '')
    if (name === '' || !head.trimEnd().endsWith(':')) return null
    const value = (key: string) =>
      lines
        .map((line) => new RegExp(`^ {2}${key} "?([^"\\s]{1,500})"?$`).exec(line)?.[1])
        .find((one) => one !== undefined) ?? ''
    const [version, source] = [value('version'), value('resolved')]
    for (const ask of asks) choices.set(ask, version)
    packages.set(`${name}@${version}`, {
      name,
      version,
      source: source.replace(/#.{0,200}$/, ''),
      integrity: asHash(value('integrity')),
      isFromRegistry: asks.every((ask) => isPlainAsk(ask, name)) && isTarball(source, name),
      programs: [],
    })
  }
  return { packages, choices, rest: null, isKeyedByPath: false }
}

function nameBefore(ask: string): string {
  const at = ask.indexOf('@', 1)
  return at < 0 ? '' : ask.slice(0, at)
}

function isPlainAsk(ask: string, name: string): boolean {
  return nameBefore(ask) === name && !/[:/]/.test(ask.slice(name.length + 1).replace(/^npm:(?!@?[a-z][\w./-]*@)/, ''))
}

export function parseYarnBerryLock(data: unknown): LockFile | null {
  if (!isObject(data)) return null
  const [packages, choices] = [new Map<string, LockedPackage>(), new Map<string, string>()]
  for (const [head, entry] of Object.entries(data)) {
    if (head === '__metadata') continue
    const resolution = asText(ownField(entry, 'resolution')) ?? ''
    const name = nameBefore(resolution)
    // The project itself and its members: their dependencies are in their manifests.
    if (resolution.includes('@workspace:')) continue
    const asks = head.split(', ')
    for (const ask of asks) choices.set(ask, resolution)
    packages.set(resolution, {
      name,
      version: JSON.stringify(ownField(entry, 'version')),
      source: resolution,
      integrity: asHash(ownField(entry, 'checksum')),
      isFromRegistry:
        name !== '' &&
        /^npm:[\w.+-]{1,100}$/.test(resolution.slice(name.length + 1)) &&
        asks.every((ask) => isPlainAsk(ask, name)),
      programs: programsOf(ownField(entry, 'bin')),
    })
  }
  return { packages, choices, rest: ownField(data, '__metadata'), isKeyedByPath: false }
}

export function parsePnpmLock(data: unknown): LockFile | null {
  if (!isObject(data) || !isObject(data['packages'] ?? {})) return null
  const packages = new Map<string, LockedPackage>()
  for (const [key, entry] of Object.entries(asTable(data['packages']))) {
    const id = key.replace(/^\//, '').replace(/\(.{0,2000}$/, '')
    const name = nameBefore(id)
    const resolution = asTable(ownField(entry, 'resolution'))
    const hasOnlyIntegrity = Object.keys(resolution).every((one) => one === 'integrity')
    packages.set(id, {
      name: name === '' ? id : name,
      version: id.slice(name.length + 1),
      source: JSON.stringify(withoutKeys(resolution, new Set(['integrity']))),
      integrity: asHash(ownField(resolution, 'integrity')),
      isFromRegistry: hasOnlyIntegrity && /^\d[\w.+-]{0,100}$/.test(id.slice(name.length + 1)),
      programs: [],
    })
  }
  const importers = Object.entries(asTable(data['importers'])).map(([place, entry]) => [
    place,
    withoutKeys(asTable(entry), PNPM_ASKED),
  ])
  const known = new Set(['packages', 'snapshots', 'importers', ...PNPM_ASKED])
  if (!pnpmAsksPlainly(data)) return null
  return {
    packages,
    choices: pnpmChoices(data),
    rest: { ...withoutKeys(data, known), importers },
    isKeyedByPath: false,
  }
}

const PNPM_ASKED = new Set(['dependencies', 'devDependencies', 'optionalDependencies', 'specifiers'])

function pnpmChoices(data: JsonObject): Map<string, string> {
  const choices = new Map<string, string>()
  for (const part of ['importers', 'snapshots', 'packages'])
    for (const [who, entry] of Object.entries(asTable(data[part])))
      for (const key of PNPM_ASKED)
        for (const [name, one] of Object.entries(asTable(ownField(entry, key))))
          choices.set(`${part} ${who} ${name}`, asText(ownField(one, 'version')) ?? asText(one) ?? '')
  return choices
}

/** A `version` such as `file:…` or `other@1.0.0` installs something else under the name. */
function pnpmAsksPlainly(data: JsonObject): boolean {
  return Object.values(asTable(data['importers'])).every((importer) =>
    [...PNPM_ASKED].every((key) =>
      Object.values(asTable(ownField(importer, key))).every((one) => {
        const version = asText(ownField(one, 'version')) ?? asText(one) ?? ''
        return !/^(?:file|https?|git\S{0,20}):|^@?[a-z][\w./-]{0,100}@/i.test(version)
      }),
    ),
  )
}
