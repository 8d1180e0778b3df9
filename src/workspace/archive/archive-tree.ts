/** Archives the working tree: reads every file on disk and stores its bytes. */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { systemClock } from '../../system/clock.ts'
import {
  type PathEntry,
  entryAt,
  hashRegularFile,
  readLinkTarget,
  readRegularFile,
} from '../../system/files/path-entry.ts'
import { errorCodeOf } from '../../system/files/file-error.ts'
import type { Repo } from '../repo/find-repo.ts'
import { memoizeByFolder } from '../paths.ts'
import { isSecretFileName } from '../snapshot/stored-files.ts'
import type { FileHashCache } from './file-hash-cache.ts'
import { listTreeFileNames } from './tree-file-names.ts'
import { type ObjectStore, hashBytes } from './object-store.ts'
import type { ArchiveEntry, ArchiveTree } from './tree-listing.ts'

/** A larger file is hashed but not stored: copies of all its versions would fill the disk. */
const KEPT_MAX = 64 * 1024 * 1024
/** A larger file is not read, because that takes too long: its fingerprint stands in for its hash. */
const READ_MAX = 1024 * 1024 * 1024

/** The coarsest file system clock counts two seconds: a file that changed just now may change again without a new
 *  fingerprint. */
const TICK_NS = 2_000_000_000n

export interface ArchiveContext {
  objects: ObjectStore
  known: FileHashCache
}

export async function archiveWorkingTree(repo: Repo, means: ArchiveContext): Promise<ArchiveTree> {
  const top = repo.git?.top ?? repo.root
  const breathe = createEventLoopYielder(repo.by?.signal)
  const { names } = await listTreeFileNames(repo)
  const isInTree = folderCheck(top)
  const look: Look = { ...means, there: means.objects.all(), breathe }
  const tree = new Map<string, ArchiveEntry>()
  for (const path of [...names.keys()].sort()) {
    await breathe()
    const whole = `${top}/${path}`
    const entry = isInTree(path) ? entryAt(whole) : null
    const isSecret = names.get(path)?.isTracked !== true && isSecretFileName(path)
    const file = entry === null ? null : await fileAt({ path, whole, entry, isSecret }, look)
    if (file !== null) tree.set(path, file)
  }
  return tree
}

interface Look extends ArchiveContext {
  /** The hashes of all objects. */
  there: Set<string>
  breathe: () => Promise<void>
}

interface Found {
  path: string
  whole: string
  entry: PathEntry
  isSecret: boolean
}

/** Null for anything but a file or a link, and for a path that no longer exists. */
async function fileAt(found: Found, look: Look): Promise<ArchiveEntry | null> {
  const { path, whole, entry, isSecret } = found
  if (entry.kind === 'link') return linkAt(whole, look)
  if (entry.kind !== 'file') return null
  const kept = !isSecret && entry.size <= KEPT_MAX
  const hash = look.known.hash(path, entry.fingerprint)
  if (hash !== null && (!kept || look.there.has(hash))) return fileOf(entry, { hash, kept })
  try {
    return await readFile(found, look)
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown
    return fileOf(entry, { hash: `unreadable ${entry.fingerprint}`, kept: false })
  }
}

function linkAt(whole: string, { objects, there }: Look): ArchiveEntry | null {
  const text = readLinkTarget(whole)
  if (text === null) return null
  const hash = hashBytes(text)
  if (!there.has(hash)) there.add(objects.keep(text))
  return { hash, size: text.length, mode: 'link', kept: true }
}

async function readFile({ path, whole, entry, isSecret }: Found, look: Look): Promise<ArchiveEntry | null> {
  if (entry.size > READ_MAX) return fileOf(entry, { hash: `large ${entry.fingerprint}`, kept: false })
  if (entry.size > KEPT_MAX) {
    const hash = await hashRegularFile(whole, look.breathe)
    learn(path, { entry, hash, look })
    return fileOf(entry, { hash, kept: false })
  }
  const found = readRegularFile(whole)
  if (found === null) return null
  // The file may have grown since its size was read.
  const kept = !isSecret && found.bytes.length <= KEPT_MAX
  const hash = kept ? look.objects.keep(found.bytes) : hashBytes(found.bytes)
  if (kept) look.there.add(hash)
  learn(path, { entry: found.entry, hash, look })
  return { ...fileOf(found.entry, { hash, kept }), size: found.bytes.length }
}

/** `entry`: read before the content. */
function learn(path: string, { entry, hash, look }: { entry: PathEntry; hash: string; look: Look }): void {
  const now = BigInt(Math.trunc(systemClock().at())) * 1_000_000n
  look.known.learn(path, { fingerprint: entry.fingerprint, hash, isSettled: entry.changedNs + TICK_NS < now })
}

function fileOf(entry: PathEntry, { hash, kept }: { hash: string; kept: boolean }): ArchiveEntry {
  return { hash, size: entry.size, mode: entry.isExec ? 'exec' : 'file', kept }
}

/** An unreadable file of another user is no reason to stop; a failing disk is. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof RalphError && ['EACCES', 'EPERM'].includes(errorCodeOf(thrown.cause))
}

/** Whether all parents of a path are real folders. Behind a link that replaced a folder, the same name is another file. */
function folderCheck(top: string): (path: string) => boolean {
  return memoizeByFolder(true, (folder, isAbove) => isAbove && entryAt(join(top, folder))?.kind === 'folder')
}
