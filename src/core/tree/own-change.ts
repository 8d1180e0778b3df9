/**
 * Which changes of the working tree during a run are the run's own. Whatever changed between the snapshot before an agent
 * and the one after it is the agent's; what changed while gates ran is theirs; what changed while the run paused is a person's. Pure.
 */
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Snapshot } from './change.ts'
import type { Row } from '../state/row.ts'
import type { TaskId } from '../tasks/task.ts'
import type { WorkerId } from '../ids.ts'

/** What a snapshot says of a moment. */
export type SnapshotRef = Pick<Snapshot, 'tree' | 'head' | 'branch' | 'control' | 'index'>

/** A range of the run's own changes without foreign ones in between. */
export interface OwnChange {
  before: SnapshotRef
  after: SnapshotRef
}

export interface ChangeTrace {
  /** Oldest first; the last one is still open. */
  ownChanges: OwnChange[]
  /** An agent worked since the last snapshot, so its changes are not measured yet. */
  unmeasured: boolean
  /** The last looks that were asked for, by their effect. */
  asked: Record<string, EffectOf<'snapshot'>['for']>
  /** Since the last look: gates ran, or the run rested. */
  gated: boolean
  hasPaused: boolean
}

export const EMPTY_TRACE: ChangeTrace = { ownChanges: [], unmeasured: false, asked: {}, gated: false, hasPaused: false }

export function foldChangeTrace(trace: ChangeTrace, { event, effects }: Pick<Row, 'event' | 'effects'>): ChangeTrace {
  const seen = afterEvent(trace, event)
  const works = effects.some((effect) => effect.type === 'run-agent')
  return { ...seen, asked: withAsked(seen.asked, effects), unmeasured: seen.unmeasured || works }
}

/** What happens to one worker is followed in its own trace; what happens to the run, such as a pause, in all of them. */
export function foldWorkerTraces(
  traces: Record<WorkerId, ChangeTrace>,
  { event, effects }: Pick<Row, 'event' | 'effects'>,
): Record<WorkerId, ChangeTrace> {
  const own = 'worker' in event ? [event.worker] : Object.keys(traces)
  const ids = new Set([...own, ...effects.map(({ worker }) => worker)])
  const followed = [...ids].map((id): [WorkerId, ChangeTrace] => {
    const happened = 'worker' in event && event.worker !== id ? NOTHING : event
    const asked = effects.filter(({ worker }) => worker === id)
    return [id, foldChangeTrace(traces[id] ?? EMPTY_TRACE, { event: happened, effects: asked })]
  })
  return { ...traces, ...Object.fromEntries(followed) }
}

/** Stands for the event of another worker. */
const NOTHING: Row['event'] = { type: 'clock-jumped', by: 0 }

/** More than are ever open at once: each worker asks for one. */
const ASKED_KEPT = 100

function withAsked(asked: ChangeTrace['asked'], effects: Effect[]): ChangeTrace['asked'] {
  const looks = effects.filter((effect) => effect.type === 'snapshot')
  if (looks.length === 0) return asked
  const all = [...Object.entries(asked), ...looks.map((look) => [look.id, look.for] as const)]
  return Object.fromEntries(all.slice(-ASKED_KEPT))
}

const COOLDOWNS: ReadonlySet<Row['event']['type']> = new Set(['run-resumed', 'wait-ended', 'request-received'] as const)

function afterEvent(trace: ChangeTrace, event: Row['event']): ChangeTrace {
  if (event.type === 'snapshot-taken') {
    const look = trace.asked[event.effect]
    return afterLook(trace, snapshotRefOf(event.snapshot), look === 'after' || look === 'check')
  }
  // Ralph itself brought the tree back to where a task had begun.
  if (event.type === 'reverted' && event.is === 'back') return afterLook(trace, snapshotRefOf(event.snapshot), true)
  if (event.type === 'committed' && event.sha !== null) return withCommit(trace, event.sha)
  return {
    ...trace,
    gated: trace.gated || event.type === 'gate-ended',
    hasPaused: trace.hasPaused || COOLDOWNS.has(event.type),
  }
}

function afterLook(trace: ChangeTrace, now: SnapshotRef, afterAgent: boolean): ChangeTrace {
  const last = trace.ownChanges.at(-1)
  const isOwn = afterAgent || trace.unmeasured || (trace.gated && !trace.hasPaused)
  const looked = { ...trace, unmeasured: false, gated: false, hasPaused: false }
  if (last === undefined) return { ...looked, ownChanges: [{ before: now, after: now }] }
  if (isOwn || isSameSnapshot(last.after, now))
    return { ...looked, ownChanges: [...trace.ownChanges.slice(0, -1), { before: last.before, after: now }] }
  return { ...looked, ownChanges: [...trace.ownChanges, { before: now, after: now }] }
}

/** Ralph's own commit: the files are the same, and what was staged is not known until the next look. */
function withCommit(trace: ChangeTrace, head: string): ChangeTrace {
  const last = trace.ownChanges.at(-1)
  if (last === undefined) return trace
  const { index: _, ...after } = last.after
  return { ...trace, ownChanges: [...trace.ownChanges.slice(0, -1), { ...last, after: { ...after, head } }] }
}

/** What was done for one task in a run: a trace for each claim on it. */
export interface TaskChangeTrace {
  task: TaskId
  /** Whoever has it now; null: nobody. */
  worker: WorkerId | null
  claims: ChangeTrace[]
}

/** From the moment that a worker has the task until it is settled, what happens to that worker is about it. */
export function foldTaskTrace(of: TaskChangeTrace, row: Pick<Row, 'event' | 'effects'>): TaskChangeTrace {
  const { event } = row
  if (event.type === 'task-claimed' && event.task.id === of.task)
    return { ...of, worker: event.worker, claims: [...of.claims, foldChangeTrace(EMPTY_TRACE, row)] }
  const last = of.claims.at(-1)
  if (of.worker === null || last === undefined) return of
  if ('worker' in event && event.worker !== of.worker) return of
  if (event.type === 'task-finished') return { ...of, worker: null }
  return { ...of, claims: [...of.claims.slice(0, -1), foldChangeTrace(last, row)] }
}

/** Those in which something was done. */
export function nonEmptyChanges({ ownChanges }: Pick<ChangeTrace, 'ownChanges'>): OwnChange[] {
  return ownChanges.filter(({ before, after }) => !isSameSnapshot(before, after))
}

export function snapshotRefOf({ tree, head, branch, control, index }: SnapshotRef): SnapshotRef {
  return {
    tree,
    head,
    branch,
    ...(control === undefined ? {} : { control }),
    ...(index === undefined ? {} : { index }),
  }
}

/** A field that one of them lacks is no difference. */
export function isSameSnapshot(a: SnapshotRef, b: SnapshotRef): boolean {
  const same = (x: string | undefined, y: string | undefined): boolean => x === undefined || y === undefined || x === y
  return (
    a.tree === b.tree &&
    a.head === b.head &&
    a.branch === b.branch &&
    same(a.control, b.control) &&
    same(a.index, b.index)
  )
}
