/** What a run did to the working tree, as far as its record and git still know: what an undo takes back. */
import type { Snapshot } from '../../domain/tree/change.ts'
import { RalphError } from '../../domain/error.ts'
import type { RunId, WorkerId } from '../../domain/ids.ts'
import {
  followTask,
  NO_TRACE,
  ownDoing,
  pointOf,
  type Stretch,
  type TaskTrace,
  type Trace,
} from '../../domain/tree/own-change.ts'
import type { TaskId } from '../../domain/task/task.ts'
import { digestOf } from '../../store/digests.ts'
import { allRows, firstOf } from '../../store/record.ts'
import { listRuns, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { ControlNames } from '../../workspace/snapshot/control-tree.ts'
import { isFileList } from '../../workspace/snapshot/file-list.ts'
import { git } from '../../workspace/repo/git.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'

export interface Traced {
  stretches: Stretch[]
  warnings: string[]
  whole: boolean
}

/** What an undo, or taking one back, made of commits. */
export interface Renaming {
  /** By their old names; null: nothing stands in its place. */
  names: Map<string, string | null>
  /** What was made anew stood on one commit and stands on the other since, with what came back between them. */
  moved: { from: string | null; to: string | null } | null
}

/** More than anybody asks about; runs are pruned long before. */
const MANY = 10_000

/** What the run itself did, as far as its record and git still know. */
export async function doingOf(
  sql: Sql,
  repo: Repo,
  { run, names, renamings }: { run: RunEntry; names: ControlNames; renamings: Renaming[] },
): Promise<Traced> {
  let trace = inOne((await digestOf(sql, run.id)).traces)
  const first = trace.stretches[0]
  if (first === undefined)
    throw new RalphError(
      'not-found',
      `run ${run.id} ended before it looked at the tree, so there is nothing to undo`,
    )
  if (isFileList(first.before.tree)) return { stretches: [first], warnings: [], whole: false }
  const warnings: string[] = []
  if (run.end === null)
    warnings.push(
      `run ${run.id} has not ended: ralph loop would go on with it, ralph loop --fresh gives it up`,
    )
  const whole = trace.unmeasured
  if (whole) {
    trace = await upToNow(sql, repo, { run, trace, names })
    warnings.push(
      'nobody looked at the tree after its last agent was cut off: all that was changed and committed since then counts as its doing',
    )
  }
  const own = await Promise.all(ownDoing(trace).map((stretch) => withStaged(repo, stretch)))
  const stretches = own.map((stretch) => renamings.reduce(withNewNames, stretch))
  if (stretches.length === 0)
    throw new RalphError('nothing-asked', `run ${run.id} changed nothing, so there is nothing to take back`)
  return { ...(await knownToGit(repo, run, { stretches, warnings })), whole }
}

/** What all workers did, one after the other. */
function inOne(traces: Record<WorkerId, Trace>): Trace {
  const all = Object.values(traces)
  return {
    ...NO_TRACE,
    stretches: all.flatMap(({ stretches }) => stretches),
    unmeasured: all.some(({ unmeasured }) => unmeasured),
  }
}

/** What was done for one task, in all runs that had it, as far as it is not put back already. */
export async function doingForTask(
  sql: Sql,
  repo: Repo,
  {
    task,
    runs,
    renamingsSince,
  }: { task: TaskId; runs: RunEntry[]; renamingsSince: (run: RunEntry) => Renaming[] },
): Promise<Traced> {
  const all: Stretch[] = []
  for (const run of runs) {
    let trace: TaskTrace = { task, worker: null, claims: [] }
    for await (const row of allRows(sql, run.id)) trace = followTask(trace, row)
    if (trace.claims.some(({ unmeasured }) => unmeasured))
      throw new RalphError(
        'inseparable',
        `nobody looked at the tree after an agent of ${task} was cut off in run ${run.id}, so nobody can tell its doing from yours`,
        { hint: `Take the whole run back: ralph undo ${run.id}` },
      )
    const renamings = renamingsSince(run)
    const own = await Promise.all(trace.claims.flatMap(ownDoing).map((stretch) => withStaged(repo, stretch)))
    all.push(...own.map((stretch) => renamings.reduce(withNewNames, stretch)))
  }
  const last = runs.at(-1)
  if (all.length === 0 || last === undefined)
    throw new RalphError('nothing-asked', `nothing was done for ${task}, or it was put back already`)
  if (!(await Promise.all(all.map((one) => isKnown(repo, one)))).every((one) => one))
    throw new RalphError('not-found', `git does not have the snapshots of ${task} any more`, {
      hint: `Its commits have the trailer Ralph-Task: git log --grep 'Ralph-Task: ${task}'`,
    })
  return { stretches: all, warnings: [], whole: false }
}

/** The next run's first look, or the present. */
async function upToNow(
  sql: Sql,
  repo: Repo,
  { run, trace, names }: { run: RunEntry; trace: Trace; names: ControlNames },
): Promise<Trace> {
  const later = (await listRuns(sql, MANY))
    .filter(
      ({ workspace, startedAt, id }) =>
        workspace === run.workspace && startedAt >= run.startedAt && id !== run.id,
    )
    .at(-1)
  const look =
    later === undefined
      ? await takeSnapshot(repo, { ref: null, control: names })
      : await firstLook(sql, later.id)
  if (look === null) return trace
  const last = trace.stretches.at(-1)
  if (last === undefined) return trace
  return {
    ...trace,
    stretches: [...trace.stretches.slice(0, -1), { before: last.before, after: pointOf(look) }],
  }
}

async function firstLook(sql: Sql, run: RunId): Promise<Snapshot | null> {
  const row = await firstOf(sql, run, 'surveyed')
  return row?.event.type === 'surveyed' ? row.event.snapshot : null
}

/** Snapshots in the middle of a run are pruned; where one is gone, the run is taken as a whole. */
async function knownToGit(
  repo: Repo,
  run: RunEntry,
  { stretches, warnings }: Omit<Traced, 'whole'>,
): Promise<Omit<Traced, 'whole'>> {
  const [first] = stretches
  const last = stretches.at(-1)
  if (repo.git === null || first === undefined || last === undefined) return { stretches, warnings }
  const known = await Promise.all(stretches.map((one) => isKnown(repo, one)))
  if (known.every((one) => one)) return { stretches, warnings }
  const whole = { before: first.before, after: last.after }
  if (await isKnown(repo, whole)) {
    const told =
      'the snapshots in between are gone: what was changed between its iterations counts as its doing'
    return { stretches: [whole], warnings: [...warnings, told] }
  }
  throw new RalphError('not-found', `git does not have the snapshots of run ${run.id} any more`, {
    hint: 'See what it still has: ralph rollback',
  })
}

async function isKnown(repo: Repo, { before, after }: Stretch): Promise<boolean> {
  const objects = [before, after].flatMap(({ tree, head, control, index }) => [tree, head, control, index])
  const input = objects.map((hash) => (typeof hash === 'string' ? `${hash}\n` : '')).join('')
  return !(await git(repo, ['cat-file', '--batch-check'], { input })).stdout.includes(' missing\n')
}

/**
 * After a commit of ours nobody has looked at what is staged: it is what was committed. That is read by the commit's own name, since the one
 * that an undo made of it holds something else, and only where the other side is known: both by their commits are alike.
 */
async function withStaged(repo: Repo, stretch: Stretch): Promise<Stretch> {
  const { before, after } = stretch
  if (before.index === undefined || after.index !== undefined || after.head === null) return stretch
  const { code, stdout } = await git(repo, ['rev-parse', '--verify', '--quiet', `${after.head}^{tree}`])
  return code === 0 ? { before, after: { ...after, index: stdout.trim() } } : stretch
}

/** Commits that an undo of another run made anew are this run's all the same. */
function withNewNames({ before, after }: Stretch, { names, moved }: Renaming): Stretch {
  const become = (head: string | null): string | null => {
    const now = head === null ? undefined : names.get(head)
    return now === undefined ? head : now
  }
  const end = become(after.head)
  const isMoved = moved !== null && end !== after.head && before.head === moved.from
  return {
    before: { ...before, head: isMoved ? moved.to : become(before.head) },
    after: { ...after, head: end },
  }
}
