/** The tree is looked at before a call: is git free, and did somebody else change something? */
import { isGoing, isStopping, orderOf } from '../admission/order.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../state/context.ts'
import type { EventOf } from '../state/event.ts'
import type { Seen } from '../state/state.ts'
import type { EffectId, WorkerId } from '../ids.ts'
import { lookedBefore } from './own-work.ts'
import { pause } from '../pipeline/pause.ts'
import { waitFor } from '../pipeline/wait.ts'
import { astrayLine, footingAfter } from './branch-state.ts'
import { editedWords, LAST_LOOK_MS, seenNow } from './seen.ts'
import { mayMoveBase, moveBase } from './base.ts'

/** `writes`: the files that the call may change; absent: all. */
export function survey(course: Course, id: WorkerId, may: { writes?: string[] } = {}): void {
  const { seen, iteration } = workerOf(course, id)
  const why = seen === null ? 'start' : 'before'
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: why,
    iteration: iteration + 1,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
    ...may,
  })
  enter(course, id, { is: 'surveying', effect, for: why })
}

/** A look at what an agent left. Nobody waits for it long in a run that is to stop. */
export function surveyAfter(
  course: Course,
  id: WorkerId,
  why: 'after' | 'check',
  may: { writes?: string[] } = {},
): EffectId {
  const { seen, iteration } = workerOf(course, id)
  return ask(course, {
    type: 'survey',
    worker: id,
    for: why,
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
    ...may,
    ...(isStopping(course, id) ? { withinMs: LAST_LOOK_MS } : {}),
  })
}

/** Every look tells where HEAD is. What an agent did to it is told when it begins, not again in every iteration of a night. */
export function takeFooting(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const { footing: before, phase } = workerOf(course, id)
  const footing = footingAfter(before, snapshot, phase.is === 'surveying' ? 'person' : 'agent')
  patchWorker(course, id, { footing })
  if (event.unlocked === true)
    decide(course, id, 'guard', 'note', 'a lock that a dead git had left on the index was removed')
  if (event.edited !== undefined) settingsEdited(course, id, event.edited)
  const line = astrayLine(footing)
  if (line !== null && line !== astrayLine(before)) decide(course, id, 'guard', 'astray', line)
}

/** The run goes by the settings of its start. */
function settingsEdited(course: Course, id: WorkerId, names: string[]): void {
  const { seen } = workerOf(course, id)
  if (seen !== null)
    patchWorker(course, id, { seen: { ...seen, edited: [...new Set([...(seen.edited ?? []), ...names])] } })
  decide(course, id, 'guard', 'note', editedWords(names))
}

/** What a look found beside what was known before it. */
export interface TreeLook {
  before: Seen | null
  /** Files or the plan are not as they were. */
  isChanged: boolean
}

/** Saves what a look before a call found; null: git is busy, and the worker waits or pauses. */
export function takeLook(course: Course, event: EventOf<'surveyed'>): TreeLook | null {
  const { worker: id, snapshot } = event
  const worker = workerOf(course, id)
  patchWorker(course, id, { boxes: event.boxes, nextBox: event.nextBox })
  // What the agent left open is for the agent to finish; only somebody else's is waited for.
  const ours = snapshot.open !== undefined && worker.footing?.left === snapshot.open
  if (snapshot.busy !== null && !ours && isGoing(course, id)) {
    waitForGit(course, event, snapshot.busy)
    return null
  }
  const before = worker.seen
  const plan = event.plan ?? null
  const moved = before !== null && before.tree !== snapshot.tree
  lookedBefore(course, id, snapshot)
  patchWorker(course, id, { busy: 0, seen: seenNow(before, event) })
  if (moved && event.change !== null && event.change.files > 0) {
    const files = `${event.change.files} ${event.change.files === 1 ? 'file' : 'files'}`
    decide(
      course,
      id,
      'guard',
      'note',
      `${files} changed between two iterations: somebody else's work, not counted as the agent's`,
    )
  }
  return { before, isChanged: moved || (before !== null && before.plan !== plan) }
}

/** A person's changes move the base. True: it is asked for, and its answer comes first. */
export function movesBase(course: Course, id: WorkerId, { before, isChanged }: TreeLook): boolean {
  if (before === null || !isChanged || !mayMoveBase(course, id)) return false
  // The task after one that is dropped begins with what is seen now, and with what a person made of it.
  if (!isGoing(course, id) && orderOf(course, id).is !== 'drop') return false
  moveBase(course, id, before)
  return true
}

/** Git is busy with somebody else's work: look again every five seconds, and after thirty let a person decide. */
const BUSY_WAIT_MS = 5_000
const BUSY_TRIES = 6

function waitForGit(course: Course, event: EventOf<'surveyed'>, what: string): void {
  const { worker: id } = event
  const tries = workerOf(course, id).busy + 1
  if (tries < BUSY_TRIES) {
    if (tries === 1) decide(course, id, 'guard', 'warn', `waiting for git: ${what}`)
    patchWorker(course, id, { busy: tries })
    return waitFor(course, id, BUSY_WAIT_MS, what)
  }
  patchWorker(course, id, { busy: 0 })
  pause(course, id, what)
}
