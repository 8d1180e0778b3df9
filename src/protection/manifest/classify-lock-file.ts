/**
 * Lock files: added packages from a registry, with their integrity, are source. Another version, package source or content of a package of
 * the base is protected, and so is a file that cannot be read. A lock file is never split: it must match its manifest.
 */
import { assertNever } from '../../core/assert-never.ts'
import { jsonOrNull } from '../../core/text/json.ts'
import { isSameValue, tomlOrNull, yamlOrNull } from '../parse-data.ts'
import { type LockFileKind, lockFileKind } from '../file-kinds.ts'
import type { LockedPackage, LockFile } from './lock-file.ts'
import { parseYarnBerryLock, parseNpmLock, parsePnpmLock, parseYarnLock } from './lock-npm.ts'
import { parseCargoLock, parseGoSum, parsePoetryLock, parseUvLock } from './lock-others.ts'

export type ClassifiedLockFile = { is: 'work' } | { is: 'protected'; why: string }

export interface LockedPackageUses {
  /** The manifests require it directly now. */
  isDirect: (name: string) => boolean
  /** A test, a configuration or a command of the base names it. */
  byProtected: (name: string) => boolean
}

export function classifyLockFileChange(
  path: string,
  base: string,
  final: string,
  uses: LockedPackageUses,
): ClassifiedLockFile {
  const kind = lockFileKind(path)
  if (kind === null) return asProtected(`Ralph cannot read ${path}`)
  const [old, now] = [parseLockFile(kind, base), parseLockFile(kind, final)]
  if (old === null || now === null) return asProtected('Ralph cannot compare it')
  if (!isSameValue(old.rest, now.rest)) return asProtected('it has changes other than packages')
  return comparePackages(old, now, uses)
}

function comparePackages(old: LockFile, now: LockFile, uses: LockedPackageUses): ClassifiedLockFile {
  for (const [who, version] of old.choices)
    if ((now.choices.get(who) ?? version) !== version) return asProtected(`${who} gets a different version than before`)
  const names = new Map<string, Set<string>>()
  for (const { name, version } of old.packages.values()) names.set(name, (names.get(name) ?? new Set()).add(version))
  const programs = new Set([...old.packages.values()].flatMap((one) => one.programs))
  for (const [key, before] of old.packages) {
    const after = now.packages.get(key)
    if (after === undefined && (uses.byProtected(before.name) || !before.isFromRegistry))
      return asProtected(`${before.name} was removed`)
    if (after !== undefined && !isSameValue(identity(before), identity(after)))
      return asProtected(`${before.name} was replaced by a different package`)
  }
  const kept = new Set([...now.packages.values()].map(({ name }) => name))
  for (const [key, after] of now.packages) {
    if (old.packages.has(key)) continue
    const { name } = after
    if (!after.isFromRegistry) return asProtected(`${name} does not come from a registry`)
    if (after.integrity === '') return asProtected(`${name} has no integrity hash`)
    const program = after.programs.find((one) => programs.has(one))
    if (program !== undefined) return asProtected(`${name} installs a second program named ${program}`)
    // A second version may shadow the first, and a replacement certainly does.
    const isOther = names.has(name) && names.get(name)?.has(after.version) !== true
    const isInstead = ![...old.packages].some(([place, one]) => one.name === name && now.packages.has(place))
    if (isOther && !old.isKeyedByPath && (uses.isDirect(name) || isInstead))
      return asProtected(`the lock file already had another version of ${name}`)
    if (isOther && old.isKeyedByPath && isInstead && kept.has(name))
      return asProtected(`the lock file already had another version of ${name}`)
  }
  return { is: 'work' }
}

function asProtected(why: string): ClassifiedLockFile {
  return { is: 'protected', why }
}

function identity({ version, source, integrity, programs }: LockedPackage): unknown {
  return [version, source, integrity, programs]
}

export function parseLockFile(kind: LockFileKind, content: string): LockFile | null {
  switch (kind) {
    case 'package-lock.json':
      return parseNpmLock(jsonOrNull(content))
    case 'yarn.lock':
      return content.includes('__metadata:') ? parseYarnBerryLock(yamlOrNull(content)) : parseYarnLock(content)
    case 'pnpm-lock.yaml':
      return parsePnpmLock(yamlOrNull(content))
    case 'poetry.lock':
      return parsePoetryLock(tomlOrNull(content))
    case 'uv.lock':
      return parseUvLock(tomlOrNull(content))
    case 'Cargo.lock':
      return parseCargoLock(tomlOrNull(content))
    case 'go.sum':
      return parseGoSum(content)
    case 'bun.lock':
    case 'Gemfile.lock':
    case 'composer.lock':
      // Too rare for a parser: a person is asked about every change.
      return null
    default:
      return assertNever(kind)
  }
}
