/**
 * Restores a snapshot. It overwrites or removes only files that the present snapshot stores: a file that Ralph did not store is left alone,
 * because nobody could restore it.
 */
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { exists, listFolder, removeFolder, removeIfExists } from '../../system/files/files.ts'
import { isFileListHash } from './file-list.ts'
import { gitOrThrow, openRepo } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { isUnstoredFile, type UnstoredManifest } from './unstored-manifest.ts'
import { filterIgnoredPaths } from './filter-ignored-paths.ts'
import { loadManifests } from './compare-snapshots.ts'
import { foldersAbove, toNulTerminated } from '../paths.ts'
import { withTemporaryIndex } from '../repo/update-index.ts'
import { type SnapshotWithManifest, takeSnapshotWithManifest } from './snapshot.ts'
import { isRalphPath } from '../repo/git-status.ts'

export interface RestoreResult {
  /** Files that have their old content again. */
  restored: string[]
  /** Files that the snapshot does not have. */
  removed: string[]
  /** Files that differ but were left alone, because one of the two versions is not stored. */
  kept: string[]
}

/** Restores the files of the working tree. HEAD, branch and index stay. */
export async function restoreTree(repo: Repo, tree: TreeHash): Promise<RestoreResult> {
  return restoreTreeOver(repo, tree, await takeSnapshotWithManifest(repo, { ref: null }))
}

/** The result that `restoreTreeOver` would have, without nested repositories. */
export async function planRestore(repo: Repo, tree: TreeHash, present: SnapshotWithManifest): Promise<RestoreResult> {
  const { write, remove, kept } = await compare(repo, tree, present)
  return { restored: write.sort(), removed: remove.sort(), kept: kept.sort() }
}

/** `present`: a snapshot of the present state. */
export async function restoreTreeOver(
  repo: Repo,
  tree: TreeHash,
  present: SnapshotWithManifest,
): Promise<RestoreResult> {
  const { place, before, write, remove, kept } = await compare(repo, tree, present)
  for (const path of remove) removeWithEmptyParents(place, path)
  await writeFiles(repo, place, { tree, paths: write })
  const inner = await restoreNested(repo, place, before.nested, present.manifest.nested)
  return {
    restored: [...write, ...inner.restored].sort(),
    removed: [...remove, ...inner.removed].sort(),
    kept: [...kept, ...inner.kept].sort(),
  }
}

/** The git folders for these trees; throws without git, because file lists cannot be restored. */
export function requireGitFolders(repo: Repo, trees: TreeHash[]): GitFolders {
  if (repo.git !== null && !trees.some(isFileListHash)) return repo.git
  throw new RalphError('not-found', 'a project without git has no snapshots to restore', {
    hint: 'Run `git init`: from then on Ralph takes snapshots.',
  })
}

interface Comparison {
  place: GitFolders
  before: UnstoredManifest
  write: string[]
  remove: string[]
  kept: string[]
}

async function compare(repo: Repo, tree: TreeHash, present: SnapshotWithManifest): Promise<Comparison> {
  const place = requireGitFolders(repo, [tree])
  const [before] = await loadManifests(repo, [tree])
  const now = present.manifest
  const how = ['-r', '-z', '--name-status', '--no-renames', '--end-of-options']
  const args = ['diff-tree', ...how, present.snapshot.tree, tree]
  const activity = 'compare the snapshot with the files'
  const fields = (await gitOrThrow(repo, args, { activity, names: true })).split('\0')
  const write: string[] = []
  const remove: string[] = []
  const kept = new Set(differing(before.files, now.files))
  const gone = new Set(fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === 'D'))
  const leaving = new Set([...gone].flatMap(foldersAbove))
  // A file seen through a link that will be removed is not in the tree.
  const isBehindLink = (path: string) => foldersAbove(path).some((folder) => gone.has(folder))
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [status = '', path = ''] = [fields[i], fields[i + 1]]
    if (isRalphPath(path)) continue
    // On disk but not in the present snapshot: ignored since, or too large, so there is no copy. An emptied folder does not count.
    const isUnknown = status === 'A' && !leaving.has(path) && !isBehindLink(path) && exists(join(place.top, path))
    if (isUnknown || isUnstoredFile(now, path) || isUnstoredFile(before, path)) kept.add(path)
    else if (status === 'D') remove.push(path)
    else write.push(path)
  }
  // Files that were ignored then were not stored, so they are not removed.
  const ignored = await filterIgnoredPaths(repo, place, { tree, paths: remove })
  const known = remove.filter((path) => !ignored.has(path))
  return { place, before, write, remove: known, kept: [...kept, ...ignored] }
}

function differing(then: Record<string, string>, now: Record<string, string>): string[] {
  return Object.keys({ ...then, ...now }).filter((path) => then[path] !== now[path])
}

/** Removes a file, and the folders that it leaves empty. */
export function removeWithEmptyParents(place: GitFolders, path: string): void {
  removeIfExists(join(place.top, path))
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const whole = join(place.top, folder)
    if (!exists(whole)) continue
    if (listFolder(whole).length > 0) return
    removeFolder(whole)
  }
}

/** Git writes the files, so that line ends, links and modes are restored too. */
async function writeFiles(
  repo: Repo,
  place: GitFolders,
  { tree, paths }: { tree: TreeHash; paths: string[] },
): Promise<void> {
  if (paths.length === 0) return
  const activity = 'restore the files'
  const input = toNulTerminated(paths)
  await withTemporaryIndex(place, 'restore', async (env) => {
    await gitOrThrow(repo, ['read-tree', '--reset', tree], { env, activity })
    await gitOrThrow(repo, ['checkout-index', '--force', '-z', '--stdin'], { env, activity, input })
  })
}

async function restoreNested(
  repo: Repo,
  place: GitFolders,
  then: UnstoredManifest['nested'],
  now: UnstoredManifest['nested'],
): Promise<RestoreResult> {
  const all: RestoreResult = { restored: [], removed: [], kept: [] }
  for (const [folder, { tree }] of Object.entries(then)) {
    const present = now[folder]
    if (present?.tree === tree) continue
    if (present === undefined || isFileListHash(tree)) {
      all.kept.push(folder)
      continue
    }
    const part = await restoreTree(await openRepo(join(place.top, folder), repo), tree)
    for (const key of ['restored', 'removed', 'kept'] as const) {
      all[key].push(...part[key].map((path) => `${folder}/${path}`))
    }
  }
  // A repository that the snapshot does not have may hold commits that exist nowhere else.
  all.kept.push(...Object.keys(now).filter((folder) => then[folder] === undefined))
  return all
}
