/**
 * Which of what happened to the working tree during a run is the run's own doing. Whatever changed between the look before an agent
 * and the look after it is the agent's; what changed while gates ran is theirs; what changed while the run rested is a person's. Pure.
 */
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Snapshot } from './change.ts'
import type { Row } from '../state/row.ts'
import type { TaskId } from '../task/task.ts'
import type { WorkerId } from '../ids.ts'

/** What a snapshot says of a moment. */
export type Point = Pick<Snapshot, 'tree' | 'head' | 'branch' | 'control' | 'index'>

/** What was done without anybody else's doing in between. */
export interface Stretch {
  before: Point
  after: Point
}

export interface Trace {
  /** Oldest first; the last one is still open. */
  stretches: Stretch[]
  /** An agent worked since the last look, so nobody knows how far its doing goes. */
  unmeasured: boolean
  /** The last looks that were asked for, by their effect. */
  asked: Record<string, EffectOf<'survey'>['for']>
  /** Since the last look: gates ran, or the run rested. */
  gated: boolean
  rested: boolean
}

export const NO_TRACE: Trace = { stretches: [], unmeasured: false, asked: {}, gated: false, rested: false }

export function followRun(trace: Trace, { event, effects }: Pick<Row, 'event' | 'effects'>): Trace {
  const seen = afterEvent(trace, event)
  const works = effects.some((effect) => effect.type === 'run-agent')
  return { ...seen, asked: withAsked(seen.asked, effects), unmeasured: seen.unmeasured || works }
}

/** What happens to one worker is followed in its own trace; what happens to the run, such as a pause, in all of them. */
export function followWorkers(
  traces: Record<WorkerId, Trace>,
  { event, effects }: Pick<Row, 'event' | 'effects'>,
): Record<WorkerId, Trace> {
  const own = 'worker' in event ? [event.worker] : Object.keys(traces)
  const ids = new Set([...own, ...effects.map(({ worker }) => worker)])
  const followed = [...ids].map((id): [WorkerId, Trace] => {
    const happened = 'worker' in event && event.worker !== id ? NOTHING : event
    const asked = effects.filter(({ worker }) => worker === id)
    return [id, followRun(traces[id] ?? NO_TRACE, { event: happened, effects: asked })]
  })
  return { ...traces, ...Object.fromEntries(followed) }
}

/** Stands for the event of another worker. */
const NOTHING: Row['event'] = { type: 'clock-jumped', by: 0 }

/** More than are ever open at once: each worker asks for one. */
const ASKED_KEPT = 100

function withAsked(asked: Trace['asked'], effects: Effect[]): Trace['asked'] {
  const looks = effects.filter((effect) => effect.type === 'survey')
  if (looks.length === 0) return asked
  const all = [...Object.entries(asked), ...looks.map((look) => [look.id, look.for] as const)]
  return Object.fromEntries(all.slice(-ASKED_KEPT))
}

const RESTS: ReadonlySet<Row['event']['type']> = new Set([
  'run-continued',
  'wait-over',
  'request-received',
] as const)

function afterEvent(trace: Trace, event: Row['event']): Trace {
  if (event.type === 'surveyed')
    return afterLook(trace, pointOf(event.snapshot), isAfterAgent(trace.asked[event.effect]))
  // Ralph itself brought the tree back to where a task had begun.
  if (event.type === 'put-back' && event.is === 'back') return afterLook(trace, pointOf(event.snapshot), true)
  if (event.type === 'committed' && event.sha !== null) return withCommit(trace, event.sha)
  return {
    ...trace,
    gated: trace.gated || event.type === 'gate-ended',
    rested: trace.rested || RESTS.has(event.type),
  }
}

function isAfterAgent(look: EffectOf<'survey'>['for'] | undefined): boolean {
  return look === 'after' || look === 'check'
}

function afterLook(trace: Trace, now: Point, afterAgent: boolean): Trace {
  const last = trace.stretches.at(-1)
  const isOwn = afterAgent || trace.unmeasured || (trace.gated && !trace.rested)
  const looked = { ...trace, unmeasured: false, gated: false, rested: false }
  if (last === undefined) return { ...looked, stretches: [{ before: now, after: now }] }
  if (isOwn || isSamePoint(last.after, now))
    return { ...looked, stretches: [...trace.stretches.slice(0, -1), { before: last.before, after: now }] }
  return { ...looked, stretches: [...trace.stretches, { before: now, after: now }] }
}

/** Ralph's own commit: the files are the same, and what was staged is not known until the next look. */
function withCommit(trace: Trace, head: string): Trace {
  const last = trace.stretches.at(-1)
  if (last === undefined) return trace
  const { index: _, ...after } = last.after
  return { ...trace, stretches: [...trace.stretches.slice(0, -1), { ...last, after: { ...after, head } }] }
}

/** What was done for one task in a run: a trace for each claim on it. */
export interface TaskTrace {
  task: TaskId
  /** Whoever has it now; null: nobody. */
  worker: WorkerId | null
  claims: Trace[]
}

/** From the moment that a worker has the task until it is settled, what happens to that worker is about it. */
export function followTask(of: TaskTrace, row: Pick<Row, 'event' | 'effects'>): TaskTrace {
  const { event } = row
  if (event.type === 'task-claimed' && event.task.id === of.task)
    return { ...of, worker: event.worker, claims: [...of.claims, followRun(NO_TRACE, row)] }
  const last = of.claims.at(-1)
  if (of.worker === null || last === undefined) return of
  if ('worker' in event && event.worker !== of.worker) return of
  if (event.type === 'task-settled') return { ...of, worker: null }
  return { ...of, claims: [...of.claims.slice(0, -1), followRun(last, row)] }
}

/** Those in which something was done. */
export function ownDoing({ stretches }: Pick<Trace, 'stretches'>): Stretch[] {
  return stretches.filter(({ before, after }) => !isSamePoint(before, after))
}

export function pointOf({ tree, head, branch, control, index }: Point): Point {
  return {
    tree,
    head,
    branch,
    ...(control === undefined ? {} : { control }),
    ...(index === undefined ? {} : { index }),
  }
}

/** What one of them does not tell is no difference. */
export function isSamePoint(a: Point, b: Point): boolean {
  const same = (x: string | undefined, y: string | undefined): boolean =>
    x === undefined || y === undefined || x === y
  return (
    a.tree === b.tree &&
    a.head === b.head &&
    a.branch === b.branch &&
    same(a.control, b.control) &&
    same(a.index, b.index)
  )
}
