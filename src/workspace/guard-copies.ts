/** Where there is no git nobody remembers how a file was: so a guard keeps copies of the files that judge the work, beside the store. */
import { dirname, join } from 'node:path'
import type { TreeHash } from '../domain/ids.ts'
import { ensureFolder, listFolder, readIfThere, removeFolder, sizeOf, writeLoose } from '../system/files.ts'
import { copyTree } from '../system/links.ts'
import { type FileList, fileListOf } from './file-list.ts'
import { type Repo, storeFolder } from './place.ts'
import * as read from './read-json.ts'

/** Where the copies of a tree lie, by their paths. */
export function keptFolder(repo: Repo, tree: TreeHash): string {
  return join(guardFolder(repo, tree), 'files')
}

/** The whole list of files, which the snapshots' own memory drops after a while. */
export function keptList(repo: Repo, tree: TreeHash): FileList | null {
  const text = readIfThere(join(guardFolder(repo, tree), 'list.json'))
  return text === null ? null : read.record(read.json(text), read.text)
}

/** Beyond this a file is known by its hash alone: a project of that size should have git. */
const FILE_MAX = 1024 * 1024
const ALL_MAX = 64 * 1024 * 1024

export async function keepCopies(
  repo: Repo,
  { root, tree, paths }: { root: string; tree: TreeHash; paths: string[] },
): Promise<void> {
  const list = fileListOf(repo, tree)
  if (list === null || keptList(repo, tree) !== null) return
  dropOld(repo)
  let room = ALL_MAX
  for (const path of paths) {
    const size = sizeOf(join(root, path)) ?? 0
    if (size > FILE_MAX || size > room) continue
    room -= size
    const copy = join(keptFolder(repo, tree), path)
    await copyTree(join(root, path), copy, { without: new Set(), signal: repo.by?.signal })
  }
  ensureFolder(guardFolder(repo, tree))
  // Last, because it says that the copies are complete.
  writeLoose(join(guardFolder(repo, tree), 'list.json'), JSON.stringify(list))
  const order = [...orderOf(repo).filter((one) => one !== nameOf(tree)), nameOf(tree)]
  writeLoose(orderPath(repo), `${order.join('\n')}\n`)
}

/** As many runs as may be unfinished at once, and some more. */
const KEPT = 10

function dropOld(repo: Repo): void {
  const order = orderOf(repo)
  const stays = new Set(order.slice(-KEPT + 1))
  const folder = dirname(orderPath(repo))
  for (const name of listFolder(folder)) {
    if (name !== 'order' && !stays.has(name)) removeFolder(join(folder, name))
  }
}

function orderOf(repo: Repo): string[] {
  return (readIfThere(orderPath(repo)) ?? '').split('\n').filter((name) => name !== '')
}

function orderPath(repo: Repo): string {
  return join(storeFolder(repo), 'guard', 'order')
}

function guardFolder(repo: Repo, tree: TreeHash): string {
  return join(storeFolder(repo), 'guard', nameOf(tree))
}

function nameOf(tree: TreeHash): string {
  return tree.replace(':', '-')
}
