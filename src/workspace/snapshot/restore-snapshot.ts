/**
 * Brings a snapshot back. Only files that the present snapshot holds as well, or that are not there at all, are written over or removed:
 * whatever Ralph did not store is left alone, because nobody could bring it back.
 */
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { exists, listFolder, removeFolder, removeIfExists } from '../../system/files/files.ts'
import { isFileList } from './file-list.ts'
import { gitOrThrow, openRepo } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { isOnlyListed, type Manifest } from './snapshot-manifest.ts'
import { ignoredInTree } from './ignored-in-tree.ts'
import { loadManifests } from './compare-snapshots.ts'
import { foldersAbove, nulSeparated } from '../paths.ts'
import { withOwnIndex } from '../repo/update-index.ts'
import { type FullSnapshot, takeFullSnapshot } from './snapshot.ts'
import { isRalphPath } from '../repo/git-status.ts'

export interface RestoreResult {
  /** Files that are again as they were. */
  restored: string[]
  /** Files that were not there then. */
  removed: string[]
  /** Files that differ but were left as they are, because one of the two versions is not stored. */
  kept: string[]
}

/** Puts the files of the working tree back. HEAD, branch and index stay. */
export async function restoreTree(repo: Repo, tree: TreeHash): Promise<RestoreResult> {
  return restoreFrom(repo, tree, await takeFullSnapshot(repo, { ref: null }))
}

/** What `restoreFrom` would do, apart from repositories inside the repository. */
export async function planRestore(repo: Repo, tree: TreeHash, present: FullSnapshot): Promise<RestoreResult> {
  const { write, remove, kept } = await compare(repo, tree, present)
  return { restored: write.sort(), removed: remove.sort(), kept: kept.sort() }
}

/** `present`: the tree as it is now. */
export async function restoreFrom(repo: Repo, tree: TreeHash, present: FullSnapshot): Promise<RestoreResult> {
  const { place, before, write, remove, kept } = await compare(repo, tree, present)
  for (const path of remove) removeFile(place, path)
  await writeFiles(repo, place, { tree, paths: write })
  const inner = await restoreNested(repo, place, before.nested, present.manifest.nested)
  return {
    restored: [...write, ...inner.restored].sort(),
    removed: [...remove, ...inner.removed].sort(),
    kept: [...kept, ...inner.kept].sort(),
  }
}

/** Where these trees are: only git brings something back. */
export function placeFor(repo: Repo, trees: TreeHash[]): GitFolders {
  if (repo.git !== null && !trees.some(isFileList)) return repo.git
  throw new RalphError('not-found', 'nothing can be brought back in a project without git', {
    hint: 'Run `git init` once: from then on Ralph keeps snapshots.',
  })
}

interface Comparison {
  place: GitFolders
  before: Manifest
  write: string[]
  remove: string[]
  kept: string[]
}

async function compare(repo: Repo, tree: TreeHash, present: FullSnapshot): Promise<Comparison> {
  const place = placeFor(repo, [tree])
  const [before] = await loadManifests(repo, [tree])
  const now = present.manifest
  const how = ['-r', '-z', '--name-status', '--no-renames', '--end-of-options']
  const args = ['diff-tree', ...how, present.snapshot.tree, tree]
  const activity = 'compare the snapshot with the files'
  const fields = (await gitOrThrow(repo, args, { activity, names: true })).split('\0')
  const write: string[] = []
  const remove: string[] = []
  const kept = new Set(differing(before.files, now.files))
  const leaving = new Set<string>()
  const gone = new Set<string>()
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [status = '', path = ''] = [fields[i], fields[i + 1]]
    if (status !== 'D') continue
    gone.add(path)
    foldersAbove(path).forEach((folder) => leaving.add(folder))
  }
  // What is seen through a link that goes lies elsewhere.
  const isBehindLink = (path: string) => foldersAbove(path).some((folder) => gone.has(folder))
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [status = '', path = ''] = [fields[i], fields[i + 1]]
    if (isRalphPath(path)) continue
    // Not in the present snapshot and yet there: ignored by now, or too large. Nobody has a copy of it. A folder may make room.
    const isUnknown = status === 'A' && !leaving.has(path) && !isBehindLink(path) && exists(join(place.top, path))
    if (isUnknown || isOnlyListed(now, path) || isOnlyListed(before, path)) kept.add(path)
    else if (status === 'D') remove.push(path)
    else write.push(path)
  }
  // What was ignored then was nobody's to store, and is nobody's to remove.
  const ignored = await ignoredInTree(repo, place, { tree, paths: remove })
  const known = remove.filter((path) => !ignored.has(path))
  return { place, before, write, remove: known, kept: [...kept, ...ignored] }
}

function differing(then: Record<string, string>, now: Record<string, string>): string[] {
  return Object.keys({ ...then, ...now }).filter((path) => then[path] !== now[path])
}

/** Removes a file, and the folders that it leaves empty. */
export function removeFile(place: GitFolders, path: string): void {
  removeIfExists(join(place.top, path))
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const whole = join(place.top, folder)
    if (!exists(whole)) continue
    if (listFolder(whole).length > 0) return
    removeFolder(whole)
  }
}

/** Through git, so that line ends, links and modes come back as they were. */
async function writeFiles(
  repo: Repo,
  place: GitFolders,
  { tree, paths }: { tree: TreeHash; paths: string[] },
): Promise<void> {
  if (paths.length === 0) return
  const activity = 'bring the files back'
  const input = nulSeparated(paths)
  await withOwnIndex(place, 'restore', async (env) => {
    await gitOrThrow(repo, ['read-tree', '--reset', tree], { env, activity })
    await gitOrThrow(repo, ['checkout-index', '--force', '-z', '--stdin'], { env, activity, input })
  })
}

async function restoreNested(
  repo: Repo,
  place: GitFolders,
  then: Manifest['nested'],
  now: Manifest['nested'],
): Promise<RestoreResult> {
  const all: RestoreResult = { restored: [], removed: [], kept: [] }
  for (const [folder, { tree }] of Object.entries(then)) {
    const present = now[folder]
    if (present?.tree === tree) continue
    if (present === undefined || isFileList(tree)) {
      all.kept.push(folder)
      continue
    }
    const part = await restoreTree(await openRepo(join(place.top, folder), repo), tree)
    for (const key of ['restored', 'removed', 'kept'] as const) {
      all[key].push(...part[key].map((path) => `${folder}/${path}`))
    }
  }
  // A repository that was not there then may hold commits that exist nowhere else.
  all.kept.push(...Object.keys(now).filter((folder) => then[folder] === undefined))
  return all
}
