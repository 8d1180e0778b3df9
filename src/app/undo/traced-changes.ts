/** What a run did to the working tree, as far as its record and git still know: what an undo reverts. */
import type { Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId, WorkerId } from '../../core/ids.ts'
import {
  foldTaskTrace,
  EMPTY_TRACE,
  nonEmptyChanges,
  snapshotRefOf,
  type OwnChange,
  type TaskChangeTrace,
  type ChangeTrace,
} from '../../core/tree/own-change.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { loadDigest } from '../../store/digests.ts'
import { streamAllRows, firstRowOfType } from '../../store/record.ts'
import { listRuns, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { ControlFileSelector } from '../../workspace/snapshot/control-tree.ts'
import { isFileListHash } from '../../workspace/snapshot/file-list.ts'
import { git } from '../../workspace/repo/git.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'

export interface TracedChanges {
  ownChanges: OwnChange[]
  warnings: string[]
  whole: boolean
}

/** How an undo, or the reversal of one, rewrote commits. */
export interface CommitRewrites {
  /** New names by old names; null: the commit is gone. */
  names: Map<string, string | null>
  /** The rewritten commits had the parent `from` and now have the parent `to`, with the restored commits in between. */
  moved: { from: string | null; to: string | null } | null
}

/** More than anybody asks about; runs are pruned long before. */
const MANY = 10_000

/** What the run itself changed, as far as its record and git still know. */
export async function changesOfRun(
  sql: Sql,
  repo: Repo,
  { run, names, commitRenames }: { run: RunEntry; names: ControlFileSelector; commitRenames: CommitRewrites[] },
): Promise<TracedChanges> {
  let trace = inOne((await loadDigest(sql, run.id)).traces)
  const first = trace.ownChanges[0]
  if (first === undefined)
    throw new RalphError('not-found', `run ${run.id} ended before its first snapshot: there is nothing to undo`)
  if (isFileListHash(first.before.tree)) return { ownChanges: [first], warnings: [], whole: false }
  const warnings: string[] = []
  if (run.end === null)
    warnings.push(`run ${run.id} has not ended: ralph loop resumes it, ralph loop --fresh discards it`)
  const whole = trace.unmeasured
  if (whole) {
    trace = await upToNow(sql, repo, { run, trace, names })
    warnings.push(
      'an agent was interrupted and Ralph took no snapshot after that: later changes and commits count as part of this run',
    )
  }
  const own = await Promise.all(nonEmptyChanges(trace).map((ownChange) => withStaged(repo, ownChange)))
  const ownChanges = own.map((ownChange) => commitRenames.reduce(withNewNames, ownChange))
  if (ownChanges.length === 0)
    throw new RalphError('nothing-asked', `run ${run.id} changed nothing: there is nothing to undo`)
  return { ...(await knownToGit(repo, run, { ownChanges, warnings })), whole }
}

/** The changes of all workers, one after the other. */
function inOne(traces: Record<WorkerId, ChangeTrace>): ChangeTrace {
  const all = Object.values(traces)
  return {
    ...EMPTY_TRACE,
    ownChanges: all.flatMap(({ ownChanges }) => ownChanges),
    unmeasured: all.some(({ unmeasured }) => unmeasured),
  }
}

/** What was changed for one task in all its runs, unless it is reverted already. */
export async function changesOfTask(
  sql: Sql,
  repo: Repo,
  {
    task,
    runs,
    commitRenamesSince,
  }: { task: TaskId; runs: RunEntry[]; commitRenamesSince: (run: RunEntry) => CommitRewrites[] },
): Promise<TracedChanges> {
  const all: OwnChange[] = []
  for (const run of runs) {
    let trace: TaskChangeTrace = { task, worker: null, claims: [] }
    for await (const row of streamAllRows(sql, run.id)) trace = foldTaskTrace(trace, row)
    if (trace.claims.some(({ unmeasured }) => unmeasured))
      throw new RalphError(
        'inseparable',
        `an agent working on ${task} was interrupted in run ${run.id} before Ralph took a snapshot: its changes can't be separated from yours`,
        { hint: `Undo the whole run: ralph undo ${run.id}` },
      )
    const commitRenames = commitRenamesSince(run)
    const own = await Promise.all(trace.claims.flatMap(nonEmptyChanges).map((ownChange) => withStaged(repo, ownChange)))
    all.push(...own.map((ownChange) => commitRenames.reduce(withNewNames, ownChange)))
  }
  const last = runs.at(-1)
  if (all.length === 0 || last === undefined)
    throw new RalphError('nothing-asked', `no run changed anything for ${task}, or those changes are already reverted`)
  if (!(await Promise.all(all.map((one) => isKnown(repo, one)))).every((one) => one))
    throw new RalphError('not-found', `git no longer has the snapshots of ${task}`, {
      hint: `Its commits have the trailer Ralph-Task: git log --grep 'Ralph-Task: ${task}'`,
    })
  return { ownChanges: all, warnings: [], whole: false }
}

/** Extends the last change to the next run's first snapshot, or to the present. */
async function upToNow(
  sql: Sql,
  repo: Repo,
  { run, trace, names }: { run: RunEntry; trace: ChangeTrace; names: ControlFileSelector },
): Promise<ChangeTrace> {
  const later = (await listRuns(sql, MANY))
    .filter(
      ({ workspace, startedAt, id }) => workspace === run.workspace && startedAt >= run.startedAt && id !== run.id,
    )
    .at(-1)
  const look =
    later === undefined ? await takeSnapshot(repo, { ref: null, control: names }) : await firstLook(sql, later.id)
  if (look === null) return trace
  const last = trace.ownChanges.at(-1)
  if (last === undefined) return trace
  return {
    ...trace,
    ownChanges: [...trace.ownChanges.slice(0, -1), { before: last.before, after: snapshotRefOf(look) }],
  }
}

async function firstLook(sql: Sql, run: RunId): Promise<Snapshot | null> {
  const row = await firstRowOfType(sql, run, 'snapshot-taken')
  return row?.event.type === 'snapshot-taken' ? row.event.snapshot : null
}

/** Snapshots in the middle of a run may be pruned; if one is missing, the run is reverted as one change. */
async function knownToGit(
  repo: Repo,
  run: RunEntry,
  { ownChanges, warnings }: Omit<TracedChanges, 'whole'>,
): Promise<Omit<TracedChanges, 'whole'>> {
  const [first] = ownChanges
  const last = ownChanges.at(-1)
  if (repo.git === null || first === undefined || last === undefined) return { ownChanges, warnings }
  const known = await Promise.all(ownChanges.map((one) => isKnown(repo, one)))
  if (known.every((one) => one)) return { ownChanges, warnings }
  const whole = { before: first.before, after: last.after }
  if (await isKnown(repo, whole)) {
    const warning =
      'snapshots inside this run were pruned: changes made between its iterations count as part of the run'
    return { ownChanges: [whole], warnings: [...warnings, warning] }
  }
  throw new RalphError('not-found', `git no longer has the snapshots of run ${run.id}`, {
    hint: 'List the snapshots that are left: ralph rollback',
  })
}

async function isKnown(repo: Repo, { before, after }: OwnChange): Promise<boolean> {
  const objects = [before, after].flatMap(({ tree, head, control, index }) => [tree, head, control, index])
  const input = objects.map((hash) => (typeof hash === 'string' ? `${hash}\n` : '')).join('')
  return !(await git(repo, ['cat-file', '--batch-check'], { input })).stdout.includes(' missing\n')
}

/**
 * No snapshot records the index after one of Ralph's own commits: it equals the commit's tree. It is read by the commit's original name,
 * since an undo may have rewritten it, and only if the index before is known: without both, the commits alone are compared.
 */
async function withStaged(repo: Repo, ownChange: OwnChange): Promise<OwnChange> {
  const { before, after } = ownChange
  if (before.index === undefined || after.index !== undefined || after.head === null) return ownChange
  const { code, stdout } = await git(repo, ['rev-parse', '--verify', '--quiet', `${after.head}^{tree}`])
  return code === 0 ? { before, after: { ...after, index: stdout.trim() } } : ownChange
}

/** Commits that the undo of another run rewrote still belong to this run. */
function withNewNames({ before, after }: OwnChange, { names, moved }: CommitRewrites): OwnChange {
  const become = (head: string | null): string | null => {
    const now = head === null ? undefined : names.get(head)
    return now === undefined ? head : now
  }
  const end = become(after.head)
  const isMoved = moved !== null && end !== after.head && before.head === moved.from
  return { before: { ...before, head: isMoved ? moved.to : become(before.head) }, after: { ...after, head: end } }
}
