/**
 * Git may store a file with other line ends or through a filter, and then restore different bytes than the file had. The original bytes of
 * these few files are stored too, so that undoing an undo restores them exactly.
 */
import { join } from 'node:path'
import type { TreeHash } from '../../core/ids.ts'
import { encodeFileName } from '../../system/files/non-utf8-names.ts'
import { writeWithoutSync } from '../../system/files/files.ts'
import { isLink } from '../../system/files/special-files.ts'
import { isPathTaken } from '../../system/files/links.ts'
import { storeRawFiles } from '../snapshot/control-tree.ts'
import { gitLine, gitOrThrow } from '../repo/git.ts'
import { fileSize } from '../paths.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import type { Blobs } from './blobs.ts'

/** By path: the blob that git stores, and the blob of the bytes on disk. */
export type ByteCopies = Record<string, { stored: string; bytes: string }>

/** Those of `paths` whose bytes on disk differ from the blob in `tree`. */
export async function storeByteCopies(
  repo: Repo,
  place: GitFolders,
  { tree, paths }: { tree: TreeHash; paths: string[] },
): Promise<ByteCopies> {
  const plain = paths.filter((path) => {
    const file = join(place.top, path)
    // Files whose names are not UTF-8 are restored as git stores them.
    return encodeFileName(path) === path && isPathTaken(file) && !isLink(file) && fileSize(file) > 0
  })
  const stored = await storedHashes(repo, tree, new Set(plain))
  const copies: ByteCopies = {}
  for (const [path, bytes] of await storeRawFiles(repo, plain)) {
    const hash = stored.get(path)
    if (hash !== undefined && hash !== bytes) copies[path] = { stored: hash, bytes }
  }
  return copies
}

/** A tree that protects the copies from git's garbage collection. */
export async function storeCopiesTree(repo: Repo, copies: ByteCopies): Promise<{ bytes?: TreeHash }> {
  const hashes = Object.values(copies).map(({ bytes }) => bytes)
  if (hashes.length === 0) return {}
  const input = hashes.map((hash, i) => `100644 blob ${hash}\t${i}\n`).join('')
  return { bytes: await gitLine(repo, ['mktree'], { input, activity: 'save copies of files' }) }
}

/** Overwrites restored files with their original bytes where the restored version is the one that was copied. */
export async function restoreByteCopies(
  repo: Repo,
  place: GitFolders,
  { blobs, copies, tree, paths }: { blobs: Blobs; copies: ByteCopies; tree: TreeHash; paths: string[] },
): Promise<void> {
  const wanted = paths.filter((path) => copies[path] !== undefined)
  if (wanted.length === 0) return
  const stored = await storedHashes(repo, tree, new Set(wanted))
  for (const path of wanted) {
    const copy = copies[path]
    if (copy !== undefined && stored.get(path) === copy.stored)
      writeWithoutSync(join(place.top, path), await blobs.read(copy.bytes))
  }
}

async function storedHashes(repo: Repo, tree: TreeHash, paths: Set<string>): Promise<Map<string, string>> {
  if (paths.size === 0) return new Map()
  const listing = await gitOrThrow(repo, ['ls-tree', '-r', '-z', tree], { activity: 'read a tree' })
  const found = new Map<string, string>()
  for (const line of listing.split('\0')) {
    const tab = line.indexOf('\t')
    const path = line.slice(tab + 1)
    if (tab > 0 && paths.has(path)) found.set(path, line.slice(0, tab).split(' ')[2] ?? '')
  }
  return found
}
