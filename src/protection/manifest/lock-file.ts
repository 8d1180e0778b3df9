/** The common form of all lock files: packages, which dependent gets which version, and the rest. */
import { type JsonObject, asText } from '../../core/text/json.ts'

/** One package as it will be installed. */
export interface LockedPackage {
  name: string
  version: string
  /** The package source; packages with the same source are the same. */
  source: string
  integrity: string
  isFromRegistry: boolean
  /** Programs it installs, if the lock file lists them. */
  programs: string[]
}

export interface LockFile {
  /** By install path, or by name and version if all versions are installed side by side. */
  packages: ReadonlyMap<string, LockedPackage>
  /** Which version each dependent gets: another version for an old dependent is a change of the base. */
  choices: ReadonlyMap<string, string>
  /** Everything else in the file; null: it contains only packages. */
  rest: unknown
  /** Packages are keyed by install path, so another version elsewhere shadows nothing. */
  isKeyedByPath: boolean
}

const HASH = /^(?:sha(?:1|256|384|512)[-:]|h1:|[\da-z]{1,6}\/[\da-f]{6,256}$|[\da-f]{32,128}$)/i

export function asHash(value: unknown): string {
  const found = asText(value) ?? ''
  return HASH.test(found) ? found : ''
}

export function withoutKeys(value: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)))
}
