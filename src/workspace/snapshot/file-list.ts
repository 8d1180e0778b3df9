/**
 * A snapshot without git: a list of files with their hashes, and one hash over the list. It shows what changed, and evidence can refer to
 * it; it cannot restore anything. Lists are stored beside the store, so changes are known after a restart.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Snapshot } from '../../core/tree/change.ts'
import type { TreeHash } from '../../core/ids.ts'
import {
  ensureFolder,
  fileId,
  hashFile,
  listFolder,
  readIfExists,
  removeIfExists,
  sizeOf,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { realPath, fileFingerprint } from '../../system/files/links.ts'
import { type Repo, storeFolder } from '../repo/find-repo.ts'
import * as read from '../../core/text/json.ts'
import { SNAPSHOT_LIMITS } from './stored-files.ts'

export type FileList = Record<string, string>

/** Not source of the project, or Ralph's own. */
const IGNORED = new Set(['.git', '.ralph', 'node_modules'])

/** `keep`: save the list itself, so that `changeBetween` can compare with it later. */
export async function takeFileListSnapshot(repo: Repo, { keep }: { keep: boolean }): Promise<Snapshot> {
  const list: FileList = {}
  await walk(repo.root, '', { list, seen: new Set(), breathe: createEventLoopYielder(repo.by?.signal) })
  const tree = hashOf(list)
  if (keep) keepList(repo, tree, list)
  return { tree, head: null, branch: null, ref: null, unstored: [], busy: null }
}

/** The list with this hash; null: it is too old and was deleted. */
export function readFileList(repo: Repo, tree: TreeHash): FileList | null {
  const text = readIfExists(listPath(repo, tree))
  return text === null ? null : read.asRecord(read.jsonOrNull(text), read.asText)
}

export function isFileListHash(tree: TreeHash): boolean {
  return tree.startsWith('files:')
}

function hashOf(list: FileList): TreeHash {
  const hash = createHash('sha256')
  for (const path of Object.keys(list).sort()) hash.update(`${list[path]} ${path}\0`)
  return `files:${hash.digest('hex')}`
}

interface Walk {
  list: FileList
  /** Visited folders, so that a link to a folder above is not walked for ever. */
  seen: Set<string>
  breathe: () => Promise<void>
}

async function walk(root: string, folder: string, on: Walk): Promise<void> {
  const { list, seen, breathe } = on
  const id = fileId(join(root, folder))
  if (id === null || seen.has(id)) return
  seen.add(id)
  for (const name of listFolder(join(root, folder))) {
    if (IGNORED.has(name)) continue
    await breathe()
    const path = folder === '' ? name : `${folder}/${name}`
    const hash = contentHash(join(root, path))
    if (hash === null) await walk(root, path, on)
    else list[path] = hash
  }
}

/** Null for a folder. An unreadable file counts by its name alone, a large one by its fingerprint. A file of size 0 is not opened:
 *  a named pipe has size 0 too, and reading it would block for ever. */
function contentHash(path: string): string | null {
  try {
    if (isFolder(path)) return null
    const size = sizeOf(path) ?? 0
    if (size > SNAPSHOT_LIMITS.fileBytes) return `large ${fileFingerprint(realPath(path) ?? path)}`
    return size === 0 ? 'empty' : hashFile(path)
  } catch {
    return 'unreadable'
  }
}

/** Not `join`, which would drop the dot: only a folder contains `.`. */
function isFolder(path: string): boolean {
  return fileId(`${path}/.`) !== null
}

/** The number of snapshots that a run keeps. */
const KEPT = 20

function keepList(repo: Repo, tree: TreeHash, list: FileList): void {
  const path = listPath(repo, tree)
  const folder = listsFolder(repo)
  ensureFolder(folder)
  const order = (readIfExists(join(folder, 'order')) ?? '').split('\n').filter((kept) => kept !== '' && kept !== tree)
  for (const old of order.splice(0, Math.max(0, order.length - KEPT + 1))) removeIfExists(listPath(repo, old))
  if (readIfExists(path) === null) writeWithoutSync(path, JSON.stringify(list))
  writeWithoutSync(join(folder, 'order'), `${[...order, tree].join('\n')}\n`)
}

function listsFolder(repo: Repo): string {
  return join(storeFolder(repo), 'file-lists')
}

function listPath(repo: Repo, tree: TreeHash): string {
  return join(listsFolder(repo), `${tree.slice('files:'.length)}.json`)
}
