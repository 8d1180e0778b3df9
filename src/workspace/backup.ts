/**
 * Backups: snapshots with a name, kept longer than the automatic ones. They hold the whole working tree, untracked files included, in
 * a ref of their own; no branch, stash, index or file is touched. Branches that the bash tool left are listed and restorable too.
 */
import { RalphError } from '../core/error.ts'
import type { Instant, TreeHash } from '../core/ids.ts'
import { suggest } from '../core/text/suggest.ts'
import { isoTime } from '../system/clock.ts'
import { gitBusyReason } from './repo/git-busy.ts'
import { gitOrThrow } from './repo/git.ts'
import type { Repo } from './repo/find-repo.ts'
import { restoreTree, type RestoreResult } from './snapshot/restore-snapshot.ts'
import { takeSnapshot } from './snapshot/snapshot.ts'

export interface Backup {
  /** `ralph-backup-loop-<N>-<epoch>`, or for an automatic snapshot `<run>/<iteration>`, with the worker in between where there are
   *  several. */
  name: string
  from: 'backup' | 'branch' | 'snapshot'
  tree: TreeHash
  at: Instant
}

const REFS = 'refs/ralph/backup/'
const NAME = 'ralph-backup-loop-'
/** Users ask for backups, so more of them are kept than of snapshots; but not all. */
const KEPT = 100

/** Gives a snapshot the lasting name of a backup. `sha`: any ref or commit that holds the tree. */
export async function saveSnapshotAsBackup(
  repo: Repo,
  of: { iteration: number; sha: string; at: Instant },
): Promise<string> {
  const name = `${NAME}${of.iteration}-${Math.floor(of.at / 1000)}`
  await gitOrThrow(repo, ['update-ref', `${REFS}${name}`, of.sha], { activity: `save the backup ${name}` })
  await prune(repo)
  return name
}

/** A backup of the tree as it is now. */
export async function backUpWorkingTree(repo: Repo, at: Instant): Promise<string> {
  if (repo.git === null) throw noGit()
  const name = `${NAME}0-${Math.floor(at / 1000)}`
  await takeSnapshot(repo, { ref: `${REFS}${name}` })
  await prune(repo)
  return name
}

async function prune(repo: Repo): Promise<void> {
  const spare = (await list(repo, [REFS])).slice(KEPT)
  for (const backup of spare)
    await gitOrThrow(repo, ['update-ref', '-d', `${REFS}${backup.name}`], { activity: 'delete an old backup' })
}

/** Newest first. */
export async function listBackups(repo: Repo): Promise<Backup[]> {
  return repo.git === null ? [] : list(repo, [REFS, `refs/heads/${NAME}*`, 'refs/ralph/'])
}

async function list(repo: Repo, under: string[]): Promise<Backup[]> {
  const format = '--format=%(refname) %(tree) %(committerdate:unix)'
  const listing = await gitOrThrow(
    repo,
    ['for-each-ref', '--sort=-version:refname', '--sort=-committerdate', format, ...under],
    {
      activity: 'list the backups',
    },
  )
  const seen = new Set<string>()
  return shortly(listing.split('\n').flatMap(readLine)).filter(
    (backup) => !seen.has(backup.name) && seen.add(backup.name),
  )
}

/** Leaves the worker out of the names of a run that had only one. */
function shortly(backups: Backup[]): Backup[] {
  const workers = new Map<string, Set<string>>()
  const parts = (name: string): string[] => /^([^/]+)\/(w\w+)\/(.+)$/.exec(name)?.slice(1) ?? []
  for (const { name } of backups) {
    const [run, worker] = parts(name)
    if (run !== undefined && worker !== undefined) workers.set(run, (workers.get(run) ?? new Set()).add(worker))
  }
  return backups.map((backup) => {
    const [run, , iteration] = parts(backup.name)
    const isAlone = run !== undefined && workers.get(run)?.size === 1
    return isAlone ? { ...backup, name: `${run}/${iteration}` } : backup
  })
}

function readLine(line: string): Backup[] {
  const [ref = '', tree = '', seconds = ''] = line.split(' ')
  if (ref === '') return []
  const at = Number(seconds) * 1000
  if (ref.startsWith(REFS)) return [{ name: ref.slice(REFS.length), from: 'backup', tree, at }]
  if (ref.startsWith('refs/heads/')) return [{ name: ref.slice('refs/heads/'.length), from: 'branch', tree, at }]
  return [{ name: ref.slice('refs/ralph/'.length), from: 'snapshot', tree, at }]
}

export interface RollbackResult extends RestoreResult {
  name: string
  /** The ref of a snapshot taken before the rollback. */
  ref: string
}

/** Restores the working tree from a backup. Takes a snapshot of the present state first; moves no branch. */
export async function rollBack(repo: Repo, name: string, { at }: { at: Instant }): Promise<RollbackResult> {
  if (repo.git === null) throw noGit()
  const busy = gitBusyReason(repo.git)
  if (busy !== null)
    throw new RalphError('held', `cannot roll back while ${busy}`, { hint: 'Finish or abort it, then try again.' })
  const backups = await listBackups(repo)
  const chosen = backups.find((backup) => backup.name === name)
  if (chosen === undefined) throw unknown(name, backups)
  const ref = `refs/ralph/undo/${isoTime(at).replace(/[^0-9TZ]/g, '-')}`
  await takeSnapshot(repo, { ref })
  return { ...(await restoreTree(repo, chosen.tree)), name, ref }
}

function unknown(name: string, backups: Backup[]): RalphError {
  const near = suggest(
    name,
    backups.map((backup) => backup.name),
  )
  return new RalphError('not-found', `there is no backup "${name}"`, {
    hint: near === null ? 'List them: ralph rollback' : `Did you mean ${near}?`,
  })
}

function noGit(): RalphError {
  return new RalphError('not-found', 'a project without git has no backups', {
    hint: 'Run `git init`: from then on Ralph takes snapshots.',
  })
}
