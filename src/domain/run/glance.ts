/**
 * A run at a glance: what screens show of it, projected from the house after each row and kept with it, so that nobody folds a record
 * to say how a run stands. The house decides; of the rows only moments and names are taken that it has no use for: since when, which
 * process, which model. Numbers that are sums are not in it: they are kept with what they are summed from.
 */
import { paperOf, type DraftShown } from '../feature/draft.ts'
import type { EffectId, WorkerId } from '../ids.ts'
import type { Breaker } from '../admission/breaker.ts'
import type { Boxes } from '../tree/change.ts'
import type { Footing } from '../tree/branch-state.ts'
import type { Scope } from '../task/task.ts'
import type { TaskShown } from '../tell/view.ts'
import { doingFor, type Doing, type DoingSince } from '../tell/doing.ts'
import type { Rests } from '../admission/cooldown.ts'
import type { Effect } from '../state/effect.ts'
import type { House, Phase, Run, Worker } from '../state/state.ts'
import type { Outcome } from '../state/outcome.ts'
import { isChoice } from '../state/decision.ts'
import { wasIgnored, type Row } from '../state/row.ts'

/** A glance of another shape was written by another version, and is not read. */
export const GLANCE_SHAPE = 2

export interface Glance extends Pick<Run, 'is' | 'startedAt' | 'startedUp' | 'why'> {
  shape: typeof GLANCE_SHAPE
  /** The tasks it works through; null: it is a plain loop. */
  tasks: Scope | null
  outcome: Outcome | null
  /** Agents that are not asked for a while, and those that are never asked again in this run. */
  rests: Rests
  unusable: string[]
  budget: { usd: number; tokens: number; unknown: number; reservedUsd: number }
  workers: Record<WorkerId, WorkerGlance>
}

export interface WorkerGlance {
  id: WorkerId
  task: TaskShown | null
  phase: Phase['is']
  iteration: number
  doing: DoingSince
  /** The newest effect that `doing` was read from; null: none yet. */
  effect: EffectId | null
  /** The look that measures its iteration, as long as it is the last one that was asked for. */
  measures: EffectId | null
  /** The same of a look at what an agent left that was to read only. */
  checks: EffectId | null
  /** The last call beside the iteration's own. */
  aside: EffectId | null
  /** Absent: it drafts nothing. */
  draft?: DraftShown
  /** Who was asked last to work. */
  agent: string | null
  model: string | null
  /** Why it works with that model; null: it is fixed. */
  chosen: string | null
  /** As the agent named it last. */
  conversation: string | null
  breaker: Breaker
  boxes: Boxes | null
  footing: Footing | null
}

/** `house`: after `row`; `before`: the glance before it. */
export function glanceOf(house: House, row: Row, before: Glance | null): Glance {
  const { is, startedAt, startedUp, why, tasks, outcome, rests, unusable, budget } = house.run
  const { usd, tokens, unknown } = budget
  const reservedUsd = Object.values(budget.reserved).reduce((sum, one) => sum + one, 0)
  const workers = Object.values(house.workers).map((worker): [WorkerId, WorkerGlance] => [
    worker.id,
    glanceAt(house, worker, row, before?.workers[worker.id] ?? null),
  ])
  return {
    shape: GLANCE_SHAPE,
    is,
    startedAt,
    startedUp,
    why,
    tasks: tasks?.scope ?? null,
    outcome,
    rests,
    unusable: Object.keys(unusable),
    budget: { usd, tokens, unknown, reservedUsd },
    workers: Object.fromEntries(workers),
  }
}

/** `before` itself where nothing of it has changed: most rows concern one worker of many. */
function glanceAt(house: House, worker: Worker, row: Row, before: WorkerGlance | null): WorkerGlance {
  if (before !== null && isSameGlance(house, worker, row, before)) return before
  const { id, phase, iteration, breaker, boxes, footing } = worker
  const asked = row.effects.filter((effect) => effect.worker === id)
  const look = asked.findLast((effect) => effect.type === 'survey')
  const calls = asked.filter((effect) => effect.type === 'run-agent')
  const work = calls.findLast(({ role }) => role === 'work')
  const aside = calls.findLast(({ role }) => role !== 'work')
  return {
    id,
    task: taskOf(worker, work?.task?.visit ?? visitBefore(worker, before)),
    phase: phase.is,
    iteration,
    ...doingAt(house, worker, row, before),
    measures: look === undefined ? (before?.measures ?? null) : look.for === 'after' ? look.id : null,
    checks: look === undefined ? (before?.checks ?? null) : look.for === 'check' ? look.id : null,
    aside: aside?.id ?? before?.aside ?? null,
    ...draftIn(worker, row, before),
    agent: work?.agent ?? before?.agent ?? null,
    chosen: work === undefined ? (before?.chosen ?? null) : chosenIn(row, id),
    ...namedIn(row, id, before),
    breaker,
    boxes,
    footing,
  }
}

/** A worker of which the row says nothing and whose state is as it was shown. */
function isSameGlance(
  { run }: House,
  worker: Worker,
  { event, effects }: Row,
  before: WorkerGlance,
): boolean {
  const { id, phase, iteration, breaker, boxes, footing } = worker
  if (run.is === 'ended' || run.is === 'left') return false
  if (('worker' in event && event.worker === id) || effects.some((effect) => effect.worker === id))
    return false
  return (
    phase.is === before.phase &&
    iteration === before.iteration &&
    breaker === before.breaker &&
    boxes === before.boxes &&
    footing === before.footing &&
    isSameJob(worker, before)
  )
}

function isSameJob({ job }: Worker, { task, draft }: WorkerGlance): boolean {
  if (job.is === 'task')
    return task?.id === job.task && task.attempt === job.attempt && task.of === job.retries + 1
  return task === null && (job.is === 'draft') === (draft !== undefined)
}

function chosenIn({ decisions }: Row, id: WorkerId): string | null {
  return decisions.findLast((one) => isChoice(one) && one.worker === id)?.why ?? null
}

/** A visit begins with its call, not with the refusal that leads to it. */
function taskOf({ job }: Worker, visit: number): TaskShown | null {
  if (job.is !== 'task') return null
  const { task: id, title, attempt, retries } = job
  return { id, title, attempt, visit, of: retries + 1 }
}

function visitBefore({ job }: Worker, before: WorkerGlance | null): number {
  const shown = before?.task ?? null
  return job.is === 'task' && shown?.id === job.task && shown.attempt === job.attempt ? shown.visit : 1
}

/** A paper begins with its call, as a visit does. */
function draftIn(worker: Worker, row: Row, before: WorkerGlance | null): Pick<WorkerGlance, 'draft'> {
  const { job, id } = worker
  if (job.is !== 'draft') return {}
  const was = before?.draft ?? { name: job.name, folder: job.folder, paper: paperOf(worker), said: '' }
  const asked = row.effects.filter((effect) => effect.worker === id)
  const call = asked.findLast((effect) => effect.type === 'run-agent')
  const turns = asked.filter((effect) => effect.type === 'take-paper')
  const turn = turns.findLast(({ first }) => first === undefined)
  return { draft: { ...was, paper: call?.draft?.paper ?? was.paper, said: turn?.said ?? was.said } }
}

/** Every new effect is something else to do; an answer alone is none. */
function doingAt(
  { run }: House,
  { id, phase }: Worker,
  row: Row,
  before: WorkerGlance | null,
): Pick<WorkerGlance, 'doing' | 'effect'> {
  const { at, event } = row
  const was = before ?? { doing: { is: 'starting', since: at } as const, effect: null }
  const newest = Object.values(run.open).findLast(
    (effect) => effect.worker === id && doingFor(effect) !== null,
  )
  const asked = newest !== undefined && isNewer(newest, was.effect) ? newest : null
  const effect = asked?.id ?? was.effect
  const told = (doing: Doing | null): Pick<WorkerGlance, 'doing' | 'effect'> => ({
    doing: doing === null ? was.doing : { ...doing, since: at },
    effect,
  })
  if (run.is === 'ended' || run.is === 'left' || phase.is === 'finished')
    return told(was.doing.is === 'ended' ? null : { is: 'ended' })
  if (phase.is === 'paused') return told(was.doing.is === 'paused' ? null : { is: 'paused' })
  if (phase.is === 'asking')
    return told(was.doing.is === 'asking' ? null : { is: 'asking', question: phase.question })
  if (phase.is === 'idle') return told(isAbout(row, id) ? { is: 'idle' } : null)
  if (asked !== null) return told(doingFor(asked))
  const began = event.type === 'agent-began' && isWork(row, id, before)
  return told(began ? { is: 'working', pid: event.pid, log: event.log } : null)
}

function isAbout({ event }: Row, id: WorkerId): boolean {
  return event.type === 'nothing-ready' && event.worker === id
}

/** Numbers only grow in a run. */
function isNewer({ id }: Effect, than: EffectId | null): boolean {
  return than === null || numberIn(id) > numberIn(than)
}

function numberIn(id: EffectId): number {
  return Number(id.slice(1))
}

/** What a second opinion is called, and where it is written down, is nothing of the iteration's. */
function isWork(row: Row, id: WorkerId, before: WorkerGlance | null): boolean {
  const { event } = row
  if (!('effect' in event) || event.worker !== id || wasIgnored(row)) return false
  return event.effect !== before?.aside
}

function namedIn(
  row: Row,
  id: WorkerId,
  before: WorkerGlance | null,
): Pick<WorkerGlance, 'model' | 'conversation'> {
  const { event } = row
  const known = { model: before?.model ?? null, conversation: before?.conversation ?? null }
  if (!isWork(row, id, before)) return known
  if (event.type === 'conversation-known') return { model: event.model, conversation: event.conversation }
  if (event.type === 'agent-ended')
    return { ...known, conversation: event.reply.conversation ?? known.conversation }
  return known
}
