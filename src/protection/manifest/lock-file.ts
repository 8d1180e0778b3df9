/** The common form of all lock files: packages, which dependent gets which version, and the rest. */
import { type Json, asText } from '../../core/text/json.ts'
import { asTable } from '../parse-data.ts'

/** One package as it will be installed. */
export interface LockedPackage {
  name: string
  version: string
  /** Where from; two packages with the same are the same. */
  source: string
  integrity: string
  isFromRegistry: boolean
  /** Programs it brings, where the lock file says so. */
  programs: string[]
}

export interface LockFile {
  /** By the place where it is installed, or by name and version where all versions stand side by side. */
  packages: ReadonlyMap<string, LockedPackage>
  /** Which version each dependent gets: another version for an old dependent is a change of the base. */
  choices: ReadonlyMap<string, string>
  /** Everything else in the file; null where only packages stand in it. */
  rest: unknown
  /** Packages are told apart by place, so that another version elsewhere hides nothing. */
  isKeyedByPath: boolean
}

const HASH = /^(?:sha(?:1|256|384|512)[-:]|h1:|[\da-z]{1,6}\/[\da-f]{6,256}$|[\da-f]{32,128}$)/i

export function hashJson(value: unknown): string {
  const found = asText(value) ?? ''
  return HASH.test(found) ? found : ''
}

export function withoutKeys(value: Json, keys: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)))
}

/** Entries of a list that may not be there. */
export function asTables(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asTable) : []
}
