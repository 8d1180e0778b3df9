/**
 * `ralph undo`: reverts a run and nothing else. First it computes a plan for a person to read, then it applies the plan. An undo is
 * stored and can be reverted in the same way: it is one more own change between two states.
 */
import { controlFiles, isRalphOwnFile } from '../../core/control-files.ts'
import { mergeThreeWay } from '../../core/text/merge-lines.ts'
import { mergePlan } from '../../core/plan/merge-plan.ts'
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import type { SnapshotRef } from '../../core/tree/own-change.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { escapeInvisible } from '../../core/text/sanitize.ts'
import { runsOfTask } from '../../store/task/claims.ts'
import { releaseLock, acquireLock } from '../../store/lock.ts'
import { findRunByPrefix, listRuns, getRunEntry, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { applyEventToTask } from '../../store/task/apply-event.ts'
import { findTask, findTaskByPrefix } from '../../store/task/find-task.ts'
import { addTaskLogEntry } from '../../store/task/task-log.ts'
import { markRunEndReported } from '../../store/run-end-reported.ts'
import { beginUndo, updateUndo, findUndo, listUndos, type Undo } from '../../store/undos.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { projectPrefix, type Repo } from '../../workspace/repo/find-repo.ts'
import type { ByteCopies } from '../../workspace/undo/byte-copies.ts'
import { applyRevert, saveRevertSnapshots, type ApplyRevertResult } from '../../workspace/undo/apply-revert.ts'
import { joinFileNames as namedFiles } from '../../workspace/undo/describe-obstacle.ts'
import {
  planRevert,
  type RewrittenCommits,
  type RevertPlan,
  type RevertSpec,
} from '../../workspace/undo/plan-revert.ts'
import { projectFoldersOf, withStore } from '../open-store.ts'
import { findRunOrLatest, refuseOneStageRun } from '../run/find-run.ts'
import { changesOfTask, changesOfRun, type CommitRewrites, type TracedChanges } from './traced-changes.ts'
import { markUndoRevertedSeen, markRevertedTreeSeen, lastSeenState, type SeenState } from './seen-state.ts'
import { refuseDuringRun, type TreeChangeContext } from './mark-tree-seen.ts'
import { controlFileSummary, type LineChange, type ToggledCheckboxes } from './undo-summary.ts'
import { taskBlockingUndo, inseparableError } from './undo-obstacles.ts'
import { undoCommandFor, undoTargetName, type UndoTarget } from './undo-target.ts'

export interface UndoOptions {
  /** The run, or a prefix of its id; null: the last one. */
  run: string | null
  /** Only the work on this task, or the one with this id prefix, in all runs; null: a whole run. */
  task: string | null
  /** Reverts the undo of the run or task instead. */
  back: boolean
  prompt: string
  plan: string | null
  env: TreeChangeContext['env']
  home: string
}

/** What would be done. */
export interface UndoPlan extends UndoTarget {
  /** `undo`: reverts the run. `finish`: completes an interrupted undo. `back`: reverts the undo. */
  is: 'undo' | 'finish' | 'back'
  plan: RevertPlan
  /** What a person should know before they confirm. */
  warnings: string[]
  checkboxes: ToggledCheckboxes
  /** Changed lines of control files, except checkboxes. */
  lines: LineChange[]
  wanted: RevertSpec
  /** The undo that is completed or reverted; null: `is` is `undo`. */
  of: Undo<Body> | null
  /** There is no snapshot after its last agent, so every change since counts as the run's. */
  whole: boolean
}

/** The heading of a list of files. */
export const LEFT_UNCHANGED_TEXT = 'Left unchanged, because a snapshot lacks their old or new content'

/** What the store keeps about an undo. */
interface Body {
  refs: { before: string; goal: string }
  before: SnapshotRef
  after: SnapshotRef
  copies: ByteCopies
  seen: SeenState | null
  renamed: RewrittenCommits
  /** When it was reverted, and how commits were rewritten then. */
  returned?: { at: Instant; renamed: RewrittenCommits }
}

export function planUndo(root: string, asked: UndoOptions): Promise<UndoPlan> {
  return withStore(root, async ({ sql }) => {
    await refuseDuringRun(sql, root)
    const { repo } = await projectFoldersOf(root)
    const { run, task, runs, of } = await chosen(sql, root, asked)
    const named: UndoTarget = { run: run.id, task }
    const control = controlOf(root, repo, asked)
    const undos = await listUndos<Body>(sql, root)
    const since = (one: RunEntry): CommitRewrites[] => commitRewritesSince(undos, one)
    const traced =
      of !== null
        ? { ...tracedUndo(of, asked.back), warnings: [] }
        : task === null
          ? await changesOfRun(sql, repo, { run, names: control.names, commitRenames: since(run) })
          : await changesOfTask(sql, repo, { task, runs, commitRenamesSince: since })
    const wanted: RevertSpec = { ownChanges: traced.ownChanges, ...control }
    const plan = await planRevert(repo, wanted)
    if (plan.is === 'inseparable') {
      const builtOn = await taskBlockingUndo(repo, plan.obstacles)
      throw inseparableError(named, plan.obstacles, { back: asked.back, builtOn })
    }
    const is = of === null ? 'undo' : asked.back ? 'back' : 'finish'
    if (is === 'undo' && !changesAnything(plan))
      throw new RalphError(
        'nothing-asked',
        `no change of ${undoTargetName(named)} is left: there is nothing to undo`,
        plan.files.kept.length === 0
          ? {}
          : { hint: escapeInvisible(`${LEFT_UNCHANGED_TEXT}: ${namedFiles(plan.files.kept)}`) },
      )
    const { warnings, whole } = traced
    return {
      ...named,
      is,
      plan: is === 'back' && of !== null ? { ...plan, commits: sameAgain(plan.commits, of.body.renamed) } : plan,
      warnings,
      ...controlFileSummary(plan.control, control.planPath),
      wanted,
      of,
      whole,
    }
  })
}

interface Chosen {
  run: RunEntry
  task: TaskId | null
  /** All runs that had the task. */
  runs: RunEntry[]
  of: Undo<Body> | null
}

async function chosen(sql: Sql, root: string, { back, run, task }: UndoOptions): Promise<Chosen> {
  if (task !== null && run !== null)
    throw new RalphError('usage', 'name a run or a task, not both', {
      hint: `To undo the task in all runs: ralph undo --task ${task}`,
    })
  const id = task === null ? null : (await findTaskByPrefix(sql, task)).id
  if (back) return chosenUndo(sql, root, { run, task: id })
  return id === null ? chosenRun(sql, root, run) : chosenTask(sql, root, id)
}

/** The interrupted undo, which must be completed before another one; null: none. */
async function findInterruptedUndo(sql: Sql, root: string): Promise<Undo<Body> | null> {
  const undos = await listUndos<Body>(sql, root)
  const cutOff = undos.findLast(({ state }) => state === 'begun' || state === 'returning') ?? null
  if (cutOff?.state === 'returning')
    throw new RalphError('held', `reverting the undo of ${undoTargetName(cutOff)} was interrupted`, {
      hint: `Finish it first: ${undoCommandFor(cutOff, { back: true })}`,
    })
  return cutOff
}

function interruptedUndoError(cutOff: Undo<Body>): RalphError {
  return new RalphError('held', `the undo of ${undoTargetName(cutOff)} was interrupted`, {
    hint: `Finish it first: ${undoCommandFor(cutOff, { back: false })}. Or revert it: ${undoCommandFor(cutOff, { back: true })}`,
  })
}

async function chosenTask(sql: Sql, root: string, task: TaskId): Promise<Chosen> {
  const cutOff = await findInterruptedUndo(sql, root)
  if (cutOff !== null && cutOff.task !== task) throw interruptedUndoError(cutOff)
  const entries = await Promise.all((await runsOfTask(sql, task)).map((id) => getRunEntry(sql, id)))
  const runs = entries.filter((one) => one !== null).filter(({ workspace }) => workspace === root)
  const run = runs.at(-1)
  if (run === undefined)
    throw new RalphError('nothing-asked', `no run has worked on ${task} here: there is nothing to undo`)
  return { run, task, runs, of: cutOff }
}

async function chosenRun(sql: Sql, root: string, named: string | null): Promise<Chosen> {
  const cutOff = await findInterruptedUndo(sql, root)
  if (cutOff !== null && cutOff.task !== null) throw interruptedUndoError(cutOff)
  const run =
    cutOff !== null && named === null ? await findRunByPrefix(sql, cutOff.run) : await findRunOrLatest(sql, root, named)
  refuseOneStageRun(run, 'undone')
  if (run.workspace !== root)
    throw new RalphError('usage', `run ${run.id} worked in another folder: ${run.workspace}`, {
      hint: `Undo it there: cd ${run.workspace} && ralph undo ${run.id}`,
    })
  if (cutOff !== null && cutOff.run !== run.id) throw interruptedUndoError(cutOff)
  const whole = { run, task: null, runs: [run] }
  if (cutOff !== null) return { ...whole, of: cutOff }
  const done = await findUndo(sql, run.id)
  if (done === null) return { ...whole, of: null }
  const earlier = await runBefore(sql, root, run)
  throw new RalphError('nothing-asked', `run ${run.id} is already undone`, {
    hint: `Restore it: ralph undo --undo ${run.id}${earlier === null ? '' : `. Undo the run before it: ralph undo ${earlier.id}`}`,
  })
}

/** More than anybody asks about; runs are pruned long before. */
const MANY = 10_000

async function runBefore(sql: Sql, root: string, run: RunEntry): Promise<RunEntry | null> {
  const runs = (await listRuns(sql, MANY)).filter(({ workspace }) => workspace === root)
  for (const one of runs.slice(runs.findIndex(({ id }) => id === run.id) + 1))
    if ((await findUndo(sql, one.id)) === null) return one
  return null
}

async function chosenUndo(
  sql: Sql,
  root: string,
  named: { run: string | null; task: TaskId | null },
): Promise<Chosen & { of: Undo<Body> }> {
  const standing = (await listUndos<Body>(sql, root)).filter(({ state }) => state !== 'returned')
  const last = standing.at(-1)
  const run = named.run === null ? null : (await findRunByPrefix(sql, named.run)).id
  const of =
    named.task !== null
      ? standing.findLast(({ task }) => task === named.task)
      : run === null
        ? last
        : standing.findLast((one) => one.run === run && one.task === null)
  if (of === undefined)
    throw new RalphError(
      'nothing-asked',
      named.task !== null
        ? `task ${named.task} is not undone`
        : run === null
          ? 'there is no undo to revert here'
          : `run ${run} is not undone`,
      { hint: 'List the runs, with those that were undone: ralph runs' },
    )
  if (last !== undefined && last.id !== of.id)
    throw new RalphError('inseparable', `${undoTargetName(last)} was undone after ${undoTargetName(of)}`, {
      hint: `Revert it first: ${undoCommandFor(last, { back: true })}`,
    })
  const entry = await findRunByPrefix(sql, of.run)
  return { run: entry, task: of.task, runs: [entry], of }
}

/** An undo is an own change from the state before it to the state after. Completing one reverts the way back from its goal. */
function tracedUndo({ body: { before, after } }: Undo<Body>, back: boolean): Omit<TracedChanges, 'warnings'> {
  return { ownChanges: [back ? { before, after } : { before: after, after: before }], whole: false }
}

/**
 * How commits were rewritten since a run, in order: undos of other runs rename the commits that stay. A reverted undo restored the old
 * names; only commits made in between have new ones since.
 */
function commitRewritesSince(undos: Undo<Body>[], { startedAt }: RunEntry): CommitRewrites[] {
  const namesOf = ({ gone, kept }: RewrittenCommits): CommitRewrites['names'] => new Map([...gone, ...kept])
  return undos
    .flatMap(({ at, body: { renamed, returned, before, after } }): (CommitRewrites & { at: Instant })[] => {
      if (returned === undefined) return at >= startedAt ? [{ at, names: namesOf(renamed), moved: null }] : []
      if (at >= startedAt || startedAt > returned.at) return []
      const moved = { from: after.head, to: before.head }
      return [{ at: returned.at, names: namesOf(returned.renamed), moved }]
    })
    .toSorted((a, b) => a.at - b.at)
}

/** Commits that the undo had rewritten are neither removed nor restored: they get their old names again. */
function sameAgain({ gone, back, ...commits }: RevertPlan['commits'], undone: RewrittenCommits): RevertPlan['commits'] {
  const old = new Map(undone.kept.map(([was, made]) => [made, was]))
  const again = gone.flatMap((one) => {
    const as = old.get(one.sha)
    return as !== undefined && back.some(({ sha }) => sha === as) ? [{ ...one, as }] : []
  })
  return {
    ...commits,
    gone: gone.filter(({ sha }) => !again.some((one) => one.sha === sha)),
    back: back.filter(({ sha }) => !again.some(({ as }) => as === sha)),
    kept: [...again, ...commits.kept],
  }
}

/** Adds the old names of the commits that the undo had rewritten. */
function withOldNames({ gone, kept }: RewrittenCommits, undone: RewrittenCommits): RewrittenCommits {
  return { gone, kept: [...kept, ...undone.kept.map(([old, made]): [string, string] => [made, old])] }
}

/** The control files of this project, and how their texts are merged. */
function controlOf(
  root: string,
  repo: Repo,
  { prompt, plan }: UndoOptions,
): Omit<RevertSpec, 'ownChanges'> & { planPath: string | null } {
  const prefix = projectPrefix(repo, root)
  const planPath = plan === null ? null : prefix === '' ? plan : `${prefix}/${plan}`
  return {
    planPath,
    names: { named: controlFiles({ prompt, plan }), isOwn: isRalphOwnFile },
    mergeControlFiles: (path, sides) => (path === planPath ? mergePlan(sides) : mergeThreeWay(sides)),
  }
}

function changesAnything({ now, goal, files, control }: RevertPlan): boolean {
  const { head, branch, index } = now.snapshot
  return (
    files.restored.length + files.removed.length + control.length > 0 ||
    head !== goal.head ||
    branch !== goal.branch ||
    index !== goal.index ||
    now.snapshot.tree !== goal.tree
  )
}

export interface UndoResult extends ApplyRevertResult {
  /** The ref of the state before the undo. */
  ref: string
}

/** Applies the plan. No run can start here meanwhile. */
export function applyUndo(root: string, plan: UndoPlan, asked: UndoOptions): Promise<UndoResult> {
  return withStore(root, async ({ sql }) => {
    const at = systemClock().at()
    const hold = await acquireLock(sql, root, { ...ownProcessIdentity(), command: 'ralph undo', run: null, since: at })
    if (!hold.held) await refuseDuringRun(sql, root)
    try {
      const { repo } = await projectFoldersOf(root)
      const proofContext: TreeChangeContext = { root, repo, plan: asked.plan, env: asked.env, home: asked.home }
      const { of } = plan
      if (of === null) return await begin(sql, proofContext, plan, at)
      return plan.is === 'back'
        ? await revertUndo(sql, proofContext, { ...plan, of }, at)
        : await finish(sql, proofContext, plan, of)
    } finally {
      await releaseLock(sql, root, ownProcessIdentity())
    }
  })
}

function refsAt(at: number): { before: string; goal: string } {
  const stamp = isoTime(at).replace(/[^0-9TZ]/g, '-')
  return { before: `refs/ralph/undo/${stamp}`, goal: `refs/ralph/undone/${stamp}` }
}

async function begin(sql: Sql, proofContext: TreeChangeContext, undoing: UndoPlan, at: number): Promise<UndoResult> {
  const { run, task, plan, wanted } = undoing
  const refs = refsAt(at)
  const { before, goal, copies } = await saveRevertSnapshots(proofContext.repo, plan, { names: wanted.names, refs })
  const seen = await lastSeenState(sql, proofContext)
  const body: Body = { refs, before, after: goal, copies, seen, renamed: plan.renamed }
  const id = await beginUndo(sql, { run, task, at, body })
  return finish(sql, proofContext, undoing, { id, body })
}

/** Does what the undo has stored as begun, now or after it was interrupted. */
async function finish(
  sql: Sql,
  proofContext: TreeChangeContext,
  undoing: UndoPlan,
  { id, body }: Pick<Undo<Body>, 'id' | 'body'>,
): Promise<UndoResult> {
  const { run, task, plan, wanted, whole } = undoing
  const why = `undo of ${undoTargetName(undoing)}`
  const done = await applyRevert(proofContext.repo, plan, { names: wanted.names, copies: {}, why })
  const now = done.after.tree
  const seen =
    body.seen === null
      ? null
      : await markRevertedTreeSeen(sql, proofContext, { wanted, earlier: body.seen, now, whole })
  // A person who undoes a run knows how it ended.
  if (task === null) await markRunEndReported(sql, run)
  else await reopenTask(sql, task)
  await updateUndo(sql, id, { state: 'done', body: { ...body, after: done.after, seen } })
  return { ...done, ref: body.refs.before }
}

/** The work on the task is gone, so it is open again. */
async function reopenTask(sql: Sql, id: TaskId): Promise<void> {
  const at = systemClock().at()
  const task = await findTask(sql, id)
  // The status of a task with children follows from theirs.
  if (task !== null && task.children === 0) await sql.transaction((tx) => applyEventToTask(tx, id, { is: 'reset' }, at))
  await addTaskLogEntry(sql, {
    task: id,
    at,
    author: 'ralph undo',
    kind: 'moved',
    text: 'its work was reverted: it is pending again',
  })
}

async function revertUndo(
  sql: Sql,
  proofContext: TreeChangeContext,
  { run, task, plan, wanted, of }: UndoPlan & { of: Undo<Body> },
  at: number,
): Promise<UndoResult> {
  const refs = refsAt(at)
  await saveRevertSnapshots(proofContext.repo, plan, { names: wanted.names, refs })
  await updateUndo(sql, of.id, { state: 'returning' })
  const { copies, seen } = of.body
  const done = await applyRevert(proofContext.repo, plan, {
    names: wanted.names,
    copies,
    why: `undo of the undo of ${undoTargetName({ run, task })}`,
  })
  if (seen !== null) await markUndoRevertedSeen(sql, proofContext, { wanted, earlier: seen, now: done.after.tree })
  const returned = { at, renamed: withOldNames(plan.renamed, of.body.renamed) }
  await updateUndo(sql, of.id, { state: 'returned', body: { ...of.body, returned } })
  if (task !== null)
    await addTaskLogEntry(sql, {
      task,
      at,
      author: 'ralph undo',
      kind: 'moved',
      text: 'its work was restored',
    })
  return { ...done, ref: refs.before }
}
