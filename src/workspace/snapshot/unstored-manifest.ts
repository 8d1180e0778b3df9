/**
 * The data of a snapshot that git cannot store in its tree: hashes of files that are not stored, and the snapshots of nested repositories.
 * It is one small file in the tree, under `.ralph/`, where no file of the project can be; so the tree's hash covers it, and git keeps it as
 * long as the tree. Pure.
 */
import { displayFileName } from '../../system/files/non-utf8-names.ts'
import * as read from '../../core/text/json.ts'

export interface UnstoredManifest {
  /** Path → content hash, or the fingerprint of a file that is too large to read. */
  files: Record<string, string>
  /** Folder → how many files of it are not stored, and one hash over all of them. */
  crowds: Record<string, { files: number; hash: string }>
  /** Folder of a submodule or nested repository → its own snapshot. */
  nested: Record<string, { tree: string; head: string | null }>
}

export const MANIFEST_PATH = '.ralph/snapshot.json'

export const EMPTY_MANIFEST: UnstoredManifest = { files: {}, crowds: {}, nested: {} }

export function isEmptyManifest({ files, crowds, nested }: UnstoredManifest): boolean {
  return [files, crowds, nested].every((part) => Object.keys(part).length === 0)
}

/** Whether a file is listed but not stored. */
export function isUnstoredFile({ files }: UnstoredManifest, path: string): boolean {
  return files[displayFileName(path)] !== undefined
}

/** The same content always gives the same text. */
export function serializeManifest({ files, crowds, nested }: UnstoredManifest): string {
  return `${JSON.stringify({ files: sorted(files), crowds: sorted(crowds), nested: sorted(nested) }, null, 1)}\n`
}

/** Invalid text gives an empty manifest. */
export function parseManifest(text: string | null): UnstoredManifest {
  const json = read.jsonOrNull(text ?? '')
  return {
    files: read.asRecord(read.ownField(json, 'files'), (value) => read.asText(value)),
    crowds: read.asRecord(read.ownField(json, 'crowds'), (value) => {
      const hash = read.asText(read.ownField(value, 'hash'))
      return hash === null ? null : { files: read.asNumber(read.ownField(value, 'files')) ?? 0, hash }
    }),
    nested: read.asRecord(read.ownField(json, 'nested'), (value) => {
      const tree = read.asText(read.ownField(value, 'tree'))
      return tree === null ? null : { tree, head: read.asText(read.ownField(value, 'head')) }
    }),
  }
}

function sorted<T>(part: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
}
