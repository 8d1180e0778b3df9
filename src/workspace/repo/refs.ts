/** The refs under which snapshots are kept: `refs/ralph/<run>/<iteration>`. Without them git would throw the trees away in time. */
import { join } from 'node:path'
import type { Instant, RunId, TreeHash } from '../../domain/ids.ts'
import { listFolder, removeIfThere } from '../../system/files/files.ts'
import { gitOut, openRepo } from './git.ts'
import type { Repo } from './repository-at.ts'
import { manifestsOf } from '../snapshot/measure.ts'

export interface KeptSnapshot {
  ref: string
  run: string
  /** What stands after the run: usually the number of the iteration. */
  name: string
  /** The commit that holds the tree. */
  sha: string
  tree: TreeHash
  at: Instant
}

/** Oldest iteration first. */
export async function listSnapshots(repo: Repo, run?: RunId): Promise<KeptSnapshot[]> {
  if (repo.git === null) return []
  const format = '--format=%(refname) %(objectname) %(tree) %(committerdate:unix)'
  const under = run === undefined ? 'refs/ralph/' : `refs/ralph/${run}/`
  const listing = await gitOut(repo, ['for-each-ref', format, under], { doing: 'list the snapshots' })
  return listing
    .split('\n')
    .flatMap(readLine)
    .sort((a, b) => (a.run === b.run ? byName(a.name, b.name) : a.run < b.run ? -1 : 1))
}

function readLine(line: string): KeptSnapshot[] {
  const [ref = '', sha = '', tree = '', seconds = ''] = line.split(' ')
  const match = /^refs\/ralph\/([^/]+)\/(.+)$/.exec(ref)
  if (match === null) return []
  return [{ ref, run: match[1] ?? '', name: match[2] ?? '', sha, tree, at: Number(seconds) * 1000 }]
}

/** `2` before `10`. */
function byName(a: string, b: string): number {
  const [x, y] = [Number.parseInt(a, 10), Number.parseInt(b, 10)]
  if (x !== y && !Number.isNaN(x) && !Number.isNaN(y)) return x - y
  return a < b ? -1 : 1
}

/** Keeps the newest ones of a run, and always its first, to which the whole run can be undone. Gives the number removed. */
export async function pruneSnapshots(
  repo: Repo,
  { run, keep }: { run: RunId; keep: number },
): Promise<number> {
  const kept = await listSnapshots(repo, run)
  const spare = kept.slice(1, Math.max(1, kept.length - Math.max(keep - 1, 0)))
  await remove(repo, spare)
  return spare.length
}

/**
 * A git of ours that was killed while it wrote such a ref leaves its lock, and no snapshot could be kept under that name any more. Only
 * for whoever has taken the run up: nobody else writes below its name.
 */
export function clearRefLocks({ git }: Repo, run: RunId): void {
  if (git === null) return
  const folder = join(git.commonDir, 'refs', 'ralph', run)
  for (const name of listFolder(folder)) if (name.endsWith('.lock')) removeIfThere(join(folder, name))
}

/** Forgets all snapshots of a run. */
export async function deleteSnapshots(repo: Repo, run: RunId): Promise<number> {
  const kept = await listSnapshots(repo, run)
  await remove(repo, kept)
  return kept.length
}

async function remove(repo: Repo, snapshots: KeptSnapshot[]): Promise<void> {
  if (snapshots.length === 0) return
  const folders = await nestedFolders(repo, snapshots)
  const doing = 'remove old snapshots'
  const input = snapshots.map(({ ref, sha }) => `delete ${ref} ${sha}\n`).join('')
  await gitOut(repo, ['update-ref', '--no-deref', '--stdin'], { doing, input })
  for (const folder of folders)
    await removeInside(repo, { folder: join(repo.git?.top ?? repo.root, folder), snapshots })
}

/** Snapshots of nested repositories are kept in those, under the same names. */
async function nestedFolders(repo: Repo, snapshots: KeptSnapshot[]): Promise<string[]> {
  const manifests = await manifestsOf(
    repo,
    snapshots.map(({ tree }) => tree),
  )
  return [...new Set(manifests.flatMap((manifest) => Object.keys(manifest.nested)))]
}

async function removeInside(
  repo: Repo,
  { folder, snapshots }: { folder: string; snapshots: KeptSnapshot[] },
): Promise<void> {
  const inner = await openRepo(folder, repo).catch(() => null) // moved away or broken meanwhile: then nothing is kept there
  if (inner === null || inner.git === null || inner.git.prefix !== '') return
  const names = new Set(snapshots.map(({ ref }) => ref))
  await remove(
    inner,
    (await listSnapshots(inner)).filter(({ ref }) => names.has(ref)),
  )
}
