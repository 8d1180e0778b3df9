/** The refs of snapshots: `refs/ralph/<run>/w<worker>/<iteration>`. Without them git would eventually delete the trees. */
import { join } from 'node:path'
import type { Instant, RunId, TreeHash, WorkerId } from '../../core/ids.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import { isFolder, listFolder, removeIfExists } from '../../system/files/files.ts'
import { workerFolderName } from '../log-folders.ts'
import { gitOrThrow, openRepo } from './git.ts'
import type { Repo } from './find-repo.ts'
import { loadManifests } from '../snapshot/compare-snapshots.ts'

export function snapshotRefName(of: { run: RunId; worker: WorkerId; iteration: number }): string {
  return `refs/ralph/${of.run}/${workerFolderName(of.worker)}/${of.iteration}`
}

/**
 * The refs of the state before a revert and of its goal. `shown`: the ref of everything that a draft changed beside its document in a turn,
 * or a reviewer in a call, as one change; null: the work on a task is reverted.
 */
export function revertRefNames(
  run: RunId,
  { id, task, attempt, iteration, reader }: EffectOf<'revert'>,
): { before: string; goal: string; shown: string | null } {
  // Each turn of a draft is reverted separately; an iteration may have several reviewers.
  const sideCall = reader === undefined ? `${iteration}` : `${iteration}-${id}`
  // Git refuses two dots in a row and some endings in refs, but task names may have them.
  const name = task === null ? `draft-${sideCall}` : `${task.replaceAll('.', '-')}-${attempt}`
  return {
    before: `refs/ralph/${run}/failed/${name}`,
    goal: `refs/ralph/${run}/began/${name}`,
    shown: task === null ? `refs/ralph/${run}/put-back/${sideCall}` : null,
  }
}

export interface SavedSnapshot {
  ref: string
  run: string
  /** The part after the run: the worker and the number of the iteration. */
  name: string
  /** The commit that holds the tree. */
  sha: string
  tree: TreeHash
  at: Instant
}

/** Oldest iteration first. */
export async function listSnapshots(repo: Repo, run?: RunId): Promise<SavedSnapshot[]> {
  if (repo.git === null) return []
  const format = '--format=%(refname) %(objectname) %(tree) %(committerdate:unix)'
  const under = run === undefined ? 'refs/ralph/' : `refs/ralph/${run}/`
  const listing = await gitOrThrow(repo, ['for-each-ref', format, under], { activity: 'list the snapshots' })
  return listing
    .split('\n')
    .flatMap(readLine)
    .sort((a, b) => (a.run === b.run ? byName(a.name, b.name) : a.run < b.run ? -1 : 1))
}

function readLine(line: string): SavedSnapshot[] {
  const [ref = '', sha = '', tree = '', seconds = ''] = line.split(' ')
  const match = /^refs\/ralph\/([^/]+)\/(.+)$/.exec(ref)
  if (match === null) return []
  return [{ ref, run: match[1] ?? '', name: match[2] ?? '', sha, tree, at: Number(seconds) * 1000 }]
}

/** `2` before `10`. */
function byName(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)]
  if (x.worker !== y.worker) return x.worker < y.worker ? -1 : 1
  if (x.number !== y.number && !Number.isNaN(x.number) && !Number.isNaN(y.number)) return x.number - y.number
  return a < b ? -1 : 1
}

function parts(name: string): { worker: string; number: number } {
  const slash = name.lastIndexOf('/')
  return { worker: name.slice(0, Math.max(slash, 0)), number: Number.parseInt(name.slice(slash + 1), 10) }
}

/** Keeps the newest snapshots of each worker and always its first, which an undo of all its work needs. Returns the number removed. */
export async function pruneSnapshots(repo: Repo, { run, keep }: { run: RunId; keep: number }): Promise<number> {
  const all = await listSnapshots(repo, run)
  const spare = seriesOf(all).flatMap((kept) => kept.slice(1, Math.max(1, kept.length - Math.max(keep - 1, 0))))
  await remove(repo, spare)
  return spare.length
}

/** By worker. */
function seriesOf(all: SavedSnapshot[]): SavedSnapshot[][] {
  const series = new Map<string, SavedSnapshot[]>()
  for (const one of all) {
    const { worker } = parts(one.name)
    series.set(worker, [...(series.get(worker) ?? []), one])
  }
  return [...series.values()]
}

/**
 * Removes ref locks that a killed git of Ralph left: they would block snapshots of these names. Call it only after resuming the run, when
 * no other process writes refs of this run.
 */
export function removeRefLocks({ git }: Repo, run: RunId): void {
  if (git === null) return
  const own = join(git.commonDir, 'refs', 'ralph', run)
  const folders = [
    own,
    ...listFolder(own)
      .map((name) => join(own, name))
      .filter(isFolder),
  ]
  for (const folder of folders)
    for (const name of listFolder(folder)) if (name.endsWith('.lock')) removeIfExists(join(folder, name))
}

/** Deletes all snapshots of a run. */
export async function deleteSnapshots(repo: Repo, run: RunId): Promise<number> {
  const kept = await listSnapshots(repo, run)
  await remove(repo, kept)
  return kept.length
}

/** Deletes every ref of Ralph in the repository, those of undone runs and backups too. */
export async function deleteAllSnapshots(repo: Repo): Promise<void> {
  await remove(repo, await listSnapshots(repo))
}

async function remove(repo: Repo, snapshots: SavedSnapshot[]): Promise<void> {
  if (snapshots.length === 0) return
  const folders = await nestedFolders(repo, snapshots)
  const activity = 'remove old snapshots'
  const input = snapshots.map(({ ref, sha }) => `delete ${ref} ${sha}\n`).join('')
  await gitOrThrow(repo, ['update-ref', '--no-deref', '--stdin'], { activity, input })
  for (const folder of folders)
    await removeInside(repo, { folder: join(repo.git?.top ?? repo.root, folder), snapshots })
}

/** Snapshots of nested repositories are kept in those, under the same names. */
async function nestedFolders(repo: Repo, snapshots: SavedSnapshot[]): Promise<string[]> {
  const manifests = await loadManifests(
    repo,
    snapshots.map(({ tree }) => tree),
  )
  return [...new Set(manifests.flatMap((manifest) => Object.keys(manifest.nested)))]
}

async function removeInside(
  repo: Repo,
  { folder, snapshots }: { folder: string; snapshots: SavedSnapshot[] },
): Promise<void> {
  const inner = await openRepo(folder, repo).catch(() => null) // moved or broken since: then it has no snapshots
  if (inner === null || inner.git === null || inner.git.prefix !== '') return
  const names = new Set(snapshots.map(({ ref }) => ref))
  await remove(
    inner,
    (await listSnapshots(inner)).filter(({ ref }) => names.has(ref)),
  )
}
