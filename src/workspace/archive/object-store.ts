/**
 * The bytes that the tree archive keeps, by their hash: `objects/ab/<rest>`. No filter, attribute, setting or other repository can reach
 * them, and what is read is hashed again each time.
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
  /** The hashes of all there are. */
  all(): Set<string>
  /** Removes all but these. */
  sweep(kept: ReadonlySet<string>): void
}

export function hashBytes(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Other names are no whole objects: left by whoever was killed in the middle of writing. */
const REST = /^[0-9a-f]{62}$/

export function openObjectStore(folder: string): ObjectStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2))

  return {
    keep(bytes) {
      const hash = hashBytes(bytes)
      const path = pathOf(hash)
      // One that does not hold what its name says is written anew.
      const before = entryAt(path)
      if (before !== null && readRegularFile(path)?.bytes.equals(bytes) === true) return hash
      if (before?.kind === 'folder') removeAll(path)
      writeAtomically(path, bytes)
      return hash
    },
    bytes(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw archiveLostError(`the bytes of "${hash}" were never kept`)
      const path = pathOf(hash)
      const bytes = readRegularFile(path)?.bytes
      if (bytes !== undefined && hashBytes(bytes) === hash) return bytes
      const isGone = entryAt(path) === null
      // What stands there is of no use to anybody, and while it does nobody would write the right one.
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

/** Two processes may keep the same bytes at the same time. */
const OURS = randomId(10)

/** A whole file or none, also for whoever looks meanwhile. */
export function writeAtomically(path: string, bytes: Buffer): void {
  const how = { temporary: `${path}.${OURS}`, mode: 0o600, durable: false }
  try {
    createAtomic(path, bytes, how)
  } catch (thrown) {
    // Its folder is there but for the first time; to ask each time would cost more than the writing.
    if (!(thrown instanceof RalphError) || thrown.code !== 'not-found') throw thrown
    ensureFolder(dirname(path))
    createAtomic(path, bytes, how)
  }
}

export function archiveLostError(what: string): RalphError {
  return new RalphError('witness-lost', `what was remembered of the working tree is lost: ${what}`, {
    hint: 'Something other than Ralph wrote there, or the disk lost it. The next run begins from the tree as it is then.',
  })
}
