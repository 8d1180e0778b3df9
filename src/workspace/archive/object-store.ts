/**
 * The objects of the tree archive by their hash: `objects/ab/<rest>`. No filter, attribute, setting or other repository affects them, and
 * every read checks the hash.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { randomId } from '../../system/clock.ts'
import { createAtomic } from '../../system/files/create-files.ts'
import { entryAt, readRegularFile } from '../../system/files/path-entry.ts'
import { ensureFolder, listFolder } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/remove-all.ts'

export interface ObjectStore {
  keep(bytes: Buffer): string
  bytes(hash: string): Buffer
  /** The hashes of all objects. */
  all(): Set<string>
  /** Removes all but these. */
  sweep(kept: ReadonlySet<string>): void
}

export function hashBytes(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Files with other names are incomplete objects of a process that was killed while writing. */
const REST = /^[0-9a-f]{62}$/

export function openObjectStore(folder: string): ObjectStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2))

  return {
    keep(bytes) {
      const hash = hashBytes(bytes)
      const path = pathOf(hash)
      // An object whose content does not match its name is rewritten.
      const before = entryAt(path)
      if (before !== null && readRegularFile(path)?.bytes.equals(bytes) === true) return hash
      if (before?.kind === 'folder') removeAll(path)
      writeAtomically(path, bytes)
      return hash
    },
    bytes(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw archiveLostError(`the content of "${hash}" was never saved`)
      const path = pathOf(hash)
      const bytes = readRegularFile(path)?.bytes
      if (bytes !== undefined && hashBytes(bytes) === hash) return bytes
      const isGone = entryAt(path) === null
      // The damaged object is useless, and as long as it exists the correct one would not be written.
      removeAll(path)
      throw archiveLostError(`${path} ${isGone ? 'is gone' : 'was changed'}`)
    },
    all() {
      const found = new Set<string>()
      for (const shard of listFolder(folder)) {
        for (const rest of listFolder(join(folder, shard))) if (REST.test(rest)) found.add(shard + rest)
      }
      return found
    },
    sweep(kept) {
      for (const shard of listFolder(folder)) {
        for (const rest of listFolder(join(folder, shard)))
          if (!kept.has(shard + rest)) removeAll(join(folder, shard, rest))
      }
    },
  }
}

/** Two processes may store the same bytes at the same time. */
const OURS = randomId(10)

/** Other processes see the complete file or none. */
export function writeAtomically(path: string, bytes: Buffer): void {
  const how = { temporary: `${path}.${OURS}`, mode: 0o600, durable: false }
  try {
    createAtomic(path, bytes, how)
  } catch (thrown) {
    // The folder exists except the first time; checking it every time would cost more than the write.
    if (!(thrown instanceof RalphError) || thrown.code !== 'not-found') throw thrown
    ensureFolder(dirname(path))
    createAtomic(path, bytes, how)
  }
}

export function archiveLostError(what: string): RalphError {
  return new RalphError('witness-lost', `the saved copy of the working tree is damaged: ${what}`, {
    hint: 'Another program or a disk error damaged it. The next run starts from the current working tree.',
  })
}
