/**
 * `ralph undo`: takes a run back and nothing else. First it is worked out what that means, for a person to read; then it is done. An undo
 * is remembered, and taken back in the same way: it is one more stretch of doing between two states.
 */
import { controlFiles, isOwnFile } from '../../domain/control-files.ts'
import { mergeLines } from '../../domain/text/merge-lines.ts'
import { mergePlan } from '../../domain/plan/merge-plan.ts'
import { RalphError } from '../../domain/error.ts'
import type { Instant } from '../../domain/ids.ts'
import type { Point } from '../../domain/tree/own-change.ts'
import type { TaskId } from '../../domain/task/task.ts'
import { visible } from '../../domain/text/text.ts'
import { runsOfTask } from '../../store/task/claims.ts'
import { holderOf, releaseHold, takeHold } from '../../store/holder.ts'
import { findRun, listRuns, runEntry, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { change } from '../../store/task/change.ts'
import { findTask, taskFor } from '../../store/task/find.ts'
import { addTaskLog } from '../../store/task/log.ts'
import { markTold } from '../../store/told.ts'
import { beginUndo, moveUndo, undoOf, undosIn, type Undo } from '../../store/undos.ts'
import { isoTime, realClock } from '../../system/clock.ts'
import { me } from '../../system/process/identity.ts'
import { prefixOf, type Repo } from '../../workspace/repo/repository-at.ts'
import type { ByteCopies } from '../../workspace/undo/byte-copies.ts'
import { carryOut, keepBoth, type Done } from '../../workspace/undo/carry-out.ts'
import { named as namedFiles } from '../../workspace/undo/obstacle-words.ts'
import {
  planTakingBack,
  type Renamed,
  type TakingBack,
  type WantedBack,
} from '../../workspace/undo/take-back.ts'
import { foldersOf, withStore } from '../store-at.ts'
import { chooseRun, refuseOneStage } from '../run/runs.ts'
import { doingForTask, doingOf, type Renaming, type Traced } from './undo-doing.ts'
import { noteReturned, noteTakenBack, seenNow, type UndoSurroundings, type SeenThen } from './undo-base.ts'
import { controlNews, type LineChange, type TurnedBoxes } from './undo-news.ts'
import { builtOnBy, inseparable } from './undo-obstacles.ts'
import { targetCommand, targetName, type UndoTarget } from './undo-target.ts'

export interface UndoAsked {
  /** The run, or the beginning of its id; null: the last one. */
  run: string | null
  /** Only what was done for this task, or the one whose id begins so, in whichever runs; null: a whole run. */
  task: string | null
  /** Not the run or the task is taken back, but its undo. */
  back: boolean
  prompt: string
  plan: string | null
  env: UndoSurroundings['env']
  home: string
}

/** What would be done. */
export interface UndoPlan extends UndoTarget {
  /** `undo`: the run is taken back. `finish`: that was cut off, and is brought to its end. `back`: the undo is taken back. */
  is: 'undo' | 'finish' | 'back'
  plan: TakingBack
  /** What a person should know before they say yes. */
  warnings: string[]
  boxes: TurnedBoxes
  /** Lines of control files that change, beside boxes. */
  lines: LineChange[]
  wanted: WantedBack
  /** The undo that is finished or taken back. */
  of: Undo<Body> | null
  /** Nobody looked after its last agent, so all that was done since counts as the run's. */
  whole: boolean
}

/** Of files, where they are named. */
export const LEFT = 'Left as they are, since one of their versions is not stored'

/** What is remembered of an undo. */
interface Body {
  refs: { before: string; goal: string }
  before: Point
  after: Point
  copies: ByteCopies
  seen: SeenThen | null
  renamed: Renamed
  /** When it was taken back, and what became of commits then. */
  returned?: { at: Instant; renamed: Renamed }
}

export function planUndo(root: string, asked: UndoAsked): Promise<UndoPlan> {
  return withStore(root, async ({ sql }) => {
    await refuseDuringRun(sql, root)
    const { repo } = await foldersOf(root)
    const { run, task, runs, of } = await chosen(sql, root, asked)
    const named: UndoTarget = { run: run.id, task }
    const control = controlOf(root, repo, asked)
    const undos = await undosIn<Body>(sql, root)
    const since = (one: RunEntry): Renaming[] => renamingsSince(undos, one)
    const traced =
      of !== null
        ? { ...tracedUndo(of, asked.back), warnings: [] }
        : task === null
          ? await doingOf(sql, repo, { run, names: control.names, renamings: since(run) })
          : await doingForTask(sql, repo, { task, runs, renamingsSince: since })
    const wanted: WantedBack = { stretches: traced.stretches, ...control }
    const plan = await planTakingBack(repo, wanted)
    if (plan.is === 'inseparable') {
      const builtOn = await builtOnBy(repo, plan.obstacles)
      throw inseparable(named, plan.obstacles, { back: asked.back, builtOn })
    }
    const is = of === null ? 'undo' : asked.back ? 'back' : 'finish'
    if (is === 'undo' && !changesAnything(plan))
      throw new RalphError(
        'nothing-asked',
        `nothing of ${targetName(named)} is here any more, so there is nothing to take back`,
        plan.files.kept.length === 0 ? {} : { hint: visible(`${LEFT}: ${namedFiles(plan.files.kept)}`) },
      )
    const { warnings, whole } = traced
    return {
      ...named,
      is,
      plan:
        is === 'back' && of !== null ? { ...plan, commits: sameAgain(plan.commits, of.body.renamed) } : plan,
      warnings,
      ...controlNews(plan.control, control.planPath),
      wanted,
      of,
      whole,
    }
  })
}

async function refuseDuringRun(sql: Sql, root: string): Promise<void> {
  const holder = await holderOf(sql, root)
  if (holder === null) return
  throw new RalphError('held', `"${holder.command}" (process ${holder.pid}) is working in ${root}`, {
    hint: 'Stop it first: ralph stop',
  })
}

interface Chosen {
  run: RunEntry
  task: TaskId | null
  /** All that had the task. */
  runs: RunEntry[]
  of: Undo<Body> | null
}

async function chosen(sql: Sql, root: string, { back, run, task }: UndoAsked): Promise<Chosen> {
  if (task !== null && run !== null)
    throw new RalphError('usage', 'an undo is of a run or of a task, not of both', {
      hint: `Of the task, in all runs: ralph undo --task ${task}`,
    })
  const id = task === null ? null : (await taskFor(sql, task)).id
  if (back) return chosenUndo(sql, root, { run, task: id })
  return id === null ? chosenRun(sql, root, run) : chosenTask(sql, root, id)
}

/** The undo that was cut off, and has to be finished before another one; null: none. */
async function cutOffIn(sql: Sql, root: string): Promise<Undo<Body> | null> {
  const undos = await undosIn<Body>(sql, root)
  const cutOff = undos.findLast(({ state }) => state === 'begun' || state === 'returning') ?? null
  if (cutOff?.state === 'returning')
    throw new RalphError('held', `taking back the undo of ${targetName(cutOff)} was cut off`, {
      hint: `Finish it first: ${targetCommand(cutOff, { back: true })}`,
    })
  return cutOff
}

function finishFirst(cutOff: Undo<Body>): RalphError {
  return new RalphError('held', `the undo of ${targetName(cutOff)} was cut off`, {
    hint: `Finish it first: ${targetCommand(cutOff, { back: false })}. Or take it back: ${targetCommand(cutOff, { back: true })}`,
  })
}

async function chosenTask(sql: Sql, root: string, task: TaskId): Promise<Chosen> {
  const cutOff = await cutOffIn(sql, root)
  if (cutOff !== null && cutOff.task !== task) throw finishFirst(cutOff)
  const entries = await Promise.all((await runsOfTask(sql, task)).map((id) => runEntry(sql, id)))
  const runs = entries.filter((one) => one !== null).filter(({ workspace }) => workspace === root)
  const run = runs.at(-1)
  if (run === undefined)
    throw new RalphError(
      'nothing-asked',
      `no run has worked on ${task} here, so there is nothing to take back`,
    )
  return { run, task, runs, of: cutOff }
}

async function chosenRun(sql: Sql, root: string, named: string | null): Promise<Chosen> {
  const cutOff = await cutOffIn(sql, root)
  if (cutOff !== null && cutOff.task !== null) throw finishFirst(cutOff)
  const run =
    cutOff !== null && named === null ? await findRun(sql, cutOff.run) : await chooseRun(sql, root, named)
  refuseOneStage(run, 'undone')
  if (run.workspace !== root)
    throw new RalphError('usage', `run ${run.id} worked in another tree: ${run.workspace}`, {
      hint: `Undo it there: cd ${run.workspace} && ralph undo ${run.id}`,
    })
  if (cutOff !== null && cutOff.run !== run.id) throw finishFirst(cutOff)
  const whole = { run, task: null, runs: [run] }
  if (cutOff !== null) return { ...whole, of: cutOff }
  const done = await undoOf(sql, run.id)
  if (done === null) return { ...whole, of: null }
  const earlier = await runBefore(sql, root, run)
  throw new RalphError('nothing-asked', `run ${run.id} is undone already`, {
    hint: `Have it back: ralph undo --undo ${run.id}${earlier === null ? '' : `. Undo the one before it: ralph undo ${earlier.id}`}`,
  })
}

/** More than anybody asks about; runs are pruned long before. */
const MANY = 10_000

async function runBefore(sql: Sql, root: string, run: RunEntry): Promise<RunEntry | null> {
  const runs = (await listRuns(sql, MANY)).filter(({ workspace }) => workspace === root)
  for (const one of runs.slice(runs.findIndex(({ id }) => id === run.id) + 1))
    if ((await undoOf(sql, one.id)) === null) return one
  return null
}

async function chosenUndo(
  sql: Sql,
  root: string,
  named: { run: string | null; task: TaskId | null },
): Promise<Chosen & { of: Undo<Body> }> {
  const standing = (await undosIn<Body>(sql, root)).filter(({ state }) => state !== 'returned')
  const last = standing.at(-1)
  const run = named.run === null ? null : (await findRun(sql, named.run)).id
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
          ? 'no undo can be taken back here'
          : `run ${run} is not undone`,
      { hint: 'See what was undone: ralph runs' },
    )
  if (last !== undefined && last.id !== of.id)
    throw new RalphError(
      'inseparable',
      `the undo of ${targetName(last)} came later and stands on that of ${targetName(of)}`,
      { hint: `Take it back first: ${targetCommand(last, { back: true })}` },
    )
  const entry = await findRun(sql, of.run)
  return { run: entry, task: of.task, runs: [entry], of }
}

/** An undo is a stretch from what was before it to what was after. Whoever finishes one takes back the way from its goal. */
function tracedUndo({ body: { before, after } }: Undo<Body>, back: boolean): Omit<Traced, 'warnings'> {
  return { stretches: [back ? { before, after } : { before: after, after: before }], whole: false }
}

/**
 * What became of commits since a run, in the order it happened: undos of other runs give those that stay another name. One that was
 * taken back left all names as they had been before it; only what was made in between has others since.
 */
function renamingsSince(undos: Undo<Body>[], { startedAt }: RunEntry): Renaming[] {
  const namesOf = ({ gone, kept }: Renamed): Renaming['names'] => new Map([...gone, ...kept])
  return undos
    .flatMap(({ at, body: { renamed, returned, before, after } }): (Renaming & { at: Instant })[] => {
      if (returned === undefined) return at >= startedAt ? [{ at, names: namesOf(renamed), moved: null }] : []
      if (at >= startedAt || startedAt > returned.at) return []
      const moved = { from: after.head, to: before.head }
      return [{ at: returned.at, names: namesOf(returned.renamed), moved }]
    })
    .toSorted((a, b) => a.at - b.at)
}

/** Commits that the undo had made anew neither go nor come back: they are what they were. */
function sameAgain(
  { gone, back, ...commits }: TakingBack['commits'],
  undone: Renamed,
): TakingBack['commits'] {
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

/** Commits that the undo had made anew have their old names again. */
function withOldNames({ gone, kept }: Renamed, undone: Renamed): Renamed {
  return { gone, kept: [...kept, ...undone.kept.map(([old, made]): [string, string] => [made, old])] }
}

/** The control files of this project, and how their texts are merged. */
function controlOf(
  root: string,
  repo: Repo,
  { prompt, plan }: UndoAsked,
): Omit<WantedBack, 'stretches'> & { planPath: string | null } {
  const prefix = prefixOf(repo, root)
  const planPath = plan === null ? null : prefix === '' ? plan : `${prefix}/${plan}`
  return {
    planPath,
    names: { named: controlFiles({ prompt, plan }), isOwn: isOwnFile },
    mergeControl: (path, sides) => (path === planPath ? mergePlan(sides) : mergeLines(sides)),
  }
}

function changesAnything({ now, goal, files, control }: TakingBack): boolean {
  const { head, branch, index } = now.snapshot
  return (
    files.restored.length + files.removed.length + control.length > 0 ||
    head !== goal.head ||
    branch !== goal.branch ||
    index !== goal.index ||
    now.snapshot.tree !== goal.tree
  )
}

export interface UndoDone extends Done {
  /** What was here before. */
  ref: string
}

/** Does it. No run can begin here meanwhile. */
export function undo(root: string, plan: UndoPlan, asked: UndoAsked): Promise<UndoDone> {
  return withStore(root, async ({ sql }) => {
    const at = realClock().at()
    const hold = await takeHold(sql, root, { ...me(), command: 'ralph undo', run: null, since: at })
    if (!hold.held) await refuseDuringRun(sql, root)
    try {
      const { repo } = await foldersOf(root)
      const judging: UndoSurroundings = { root, repo, plan: asked.plan, env: asked.env, home: asked.home }
      return plan.is === 'undo'
        ? await begin(sql, judging, plan, at)
        : plan.is === 'finish'
          ? await finish(sql, judging, plan)
          : await goBack(sql, judging, plan, at)
    } finally {
      await releaseHold(sql, root, me())
    }
  })
}

function refsAt(at: number): { before: string; goal: string } {
  const stamp = isoTime(at).replace(/[^0-9TZ]/g, '-')
  return { before: `refs/ralph/undo/${stamp}`, goal: `refs/ralph/undone/${stamp}` }
}

async function begin(sql: Sql, judging: UndoSurroundings, undoing: UndoPlan, at: number): Promise<UndoDone> {
  const { run, task, plan, wanted, whole } = undoing
  const { repo } = judging
  const refs = refsAt(at)
  const { before, goal, copies } = await keepBoth(repo, plan, { names: wanted.names, refs })
  const seen = await seenNow(sql, judging)
  const body: Body = { refs, before, after: goal, copies, seen, renamed: plan.renamed }
  const id = await beginUndo(sql, { run, task, at, body })
  const done = await carryOut(repo, plan, {
    names: wanted.names,
    copies: {},
    why: `undo of ${targetName(undoing)}`,
  })
  await settle(sql, judging, { id, run, task, body, done, wanted, whole })
  return { ...done, ref: refs.before }
}

async function settle(
  sql: Sql,
  judging: UndoSurroundings,
  of: UndoTarget & { id: number; body: Body; done: Done; wanted: WantedBack; whole: boolean },
): Promise<void> {
  const { id, run, task, body, done, wanted, whole } = of
  const now = done.after.tree
  const seen =
    body.seen === null ? null : await noteTakenBack(sql, judging, { wanted, earlier: body.seen, now, whole })
  // Whoever undoes a run knows how it ended.
  if (task === null) await markTold(sql, run)
  else await workAgain(sql, task)
  await moveUndo(sql, id, { state: 'done', body: { ...body, after: done.after, seen } })
}

/** What was done for it is gone, so it is still to be done. */
async function workAgain(sql: Sql, id: TaskId): Promise<void> {
  const at = realClock().at()
  const task = await findTask(sql, id)
  // One that has parts by now is what they are.
  if (task !== null && task.children === 0) await sql.transaction((tx) => change(tx, id, { is: 'reset' }, at))
  await addTaskLog(sql, {
    task: id,
    at,
    author: 'ralph undo',
    kind: 'moved',
    text: 'what was done for it was taken back: it is pending again',
  })
}

/** Brings an undo that was cut off to its end. */
async function finish(
  sql: Sql,
  judging: UndoSurroundings,
  { run, task, plan, wanted, of, whole }: UndoPlan,
): Promise<UndoDone> {
  if (of === null) throw new RalphError('bug', 'an undo is to be finished, and none was begun')
  const done = await carryOut(judging.repo, plan, {
    names: wanted.names,
    copies: {},
    why: `undo of ${targetName({ run, task })}`,
  })
  await settle(sql, judging, { id: of.id, run, task, body: of.body, done, wanted, whole })
  return { ...done, ref: of.body.refs.before }
}

async function goBack(
  sql: Sql,
  judging: UndoSurroundings,
  { run, task, plan, wanted, of }: UndoPlan,
  at: number,
): Promise<UndoDone> {
  if (of === null) throw new RalphError('bug', 'an undo is to be taken back, and there is none')
  const refs = refsAt(at)
  await keepBoth(judging.repo, plan, { names: wanted.names, refs })
  await moveUndo(sql, of.id, { state: 'returning' })
  const { copies, seen } = of.body
  const done = await carryOut(judging.repo, plan, {
    names: wanted.names,
    copies,
    why: `undo of the undo of ${targetName({ run, task })}`,
  })
  if (seen !== null) await noteReturned(sql, judging, { wanted, earlier: seen, now: done.after.tree })
  const returned = { at, renamed: withOldNames(plan.renamed, of.body.renamed) }
  await moveUndo(sql, of.id, { state: 'returned', body: { ...of.body, returned } })
  if (task !== null)
    await addTaskLog(sql, {
      task,
      at,
      author: 'ralph undo',
      kind: 'moved',
      text: 'what had been taken back is there again',
    })
  return { ...done, ref: refs.before }
}
