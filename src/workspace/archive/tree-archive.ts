/**
 * Ralph's own copies of the working tree, byte for byte, outside the repository. It does not use git: no attribute, filter, setting,
 * replaced object or index flag that an agent may plant can change its content, and it works without git. Every read checks the hash, so
 * a changed file is reported and never used.
 */
import { join } from 'node:path'
import { attempt } from '../../system/attempt.ts'
import { readRegularFile } from '../../system/files/path-entry.ts'
import { ensureFolder, listFolder } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import type { Repo } from '../repo/find-repo.ts'
import { openFileHashCache } from './file-hash-cache.ts'
import { archiveLostError, openObjectStore, writeAtomically } from './object-store.ts'
import { archiveWorkingTree } from './archive-tree.ts'
import {
  type ArchiveTreeId,
  type ArchiveTree,
  archiveTreeIdOf,
  parseListing,
  sortTree,
  serializeListing,
} from './tree-listing.ts'

export interface TreeArchive {
  /** Archives the present working tree: the bytes on disk of tracked and new files. */
  take(repo: Repo): Promise<{ id: ArchiveTreeId; tree: ArchiveTree }>
  /** Throws `witness-lost` if the listing is missing or changed. */
  tree(id: ArchiveTreeId): ArchiveTree
  has(id: ArchiveTreeId): boolean
  /** Checks the hash on every read; throws `witness-lost` if the object is missing or changed. */
  bytes(hash: string): Buffer
  /** Stores any bytes, such as the text of a protected file without its change. */
  keep(bytes: Buffer | string): string
  put(tree: ArchiveTree): ArchiveTreeId
  /** Deletes everything but these trees and these hashes. */
  prune(keep: { trees: ArchiveTreeId[]; hashes: string[] }): void
}

export function openTreeArchive(folder: string): TreeArchive {
  const objects = openObjectStore(join(folder, 'objects'))
  const listingOf = (id: ArchiveTreeId) => join(folder, 'trees', id.slice(2))

  const tree = (id: ArchiveTreeId): ArchiveTree => {
    if (!/^w:[0-9a-f]{64}$/.test(id)) throw archiveLostError(`"${id}" is not in the tree archive`)
    const text = readRegularFile(listingOf(id))?.bytes.toString()
    if (text === undefined) throw archiveLostError(`${listingOf(id)} is gone`)
    const found = archiveTreeIdOf(text) === id ? parseListing(text) : null
    if (found === null) throw archiveLostError(`${listingOf(id)} was changed`)
    return found
  }
  const has = (id: ArchiveTreeId): boolean => attempt(() => tree(id), null) !== null
  let last: Promise<unknown> = Promise.resolve()
  let underWay = 0
  /** Runs one `take` of a working tree after the other: the second uses the hashes that the first computed. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay += 1
    const mine = last.then(work, work)
    last = mine
    try {
      return await mine
    } finally {
      underWay -= 1
    }
  }
  const put = (given: ArchiveTree): ArchiveTreeId => {
    const { id, text } = serializeListing(sortTree(given))
    const before = readRegularFile(listingOf(id))?.bytes.toString()
    if (before !== text) writeAtomically(listingOf(id), Buffer.from(text))
    return id
  }

  return {
    tree,
    has,
    put,
    take: (repo) =>
      inTurn(async () => {
        ensureFolder(folder)
        const known = openFileHashCache(folder)
        let taken: ArchiveTree | null = null
        try {
          taken = await archiveWorkingTree(repo, { objects, known })
          return { id: put(taken), tree: taken }
        } finally {
          // After an interruption too: the next `take` continues from there.
          known.save(taken)
        }
      }),
    bytes: (hash) => objects.bytes(hash),
    keep: (bytes) => objects.keep(Buffer.from(bytes)),
    prune({ trees, hashes }) {
      const kept = new Set(hashes)
      for (const id of trees.filter(has)) for (const { hash } of tree(id).values()) kept.add(hash)
      const names = new Set(trees.map((id) => id.slice(2)))
      for (const name of listFolder(join(folder, 'trees'))) if (!names.has(name)) removeAll(join(folder, 'trees', name))
      // A running `take` relies on the objects it found; the next prune removes the rest.
      if (underWay === 0) objects.sweep(kept)
    },
  }
}
