/** The tree was looked at before an iteration: is git free, did somebody else change something, is there anything left to do? */
import type { EventOf } from '../run/event.ts'
import { astrayLine, footingAfter } from './footing.ts'
import { editedWords } from '../tell/outcome-words.ts'
import type { WorkerId } from '../ids.ts'
import { decide, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { prepare } from '../completion/baseline.ts'
import { isUnprepared, mayMoveBase, moveBase } from '../completion/basing.ts'
import { goOn } from './go-on.ts'
import { isGoing, orderOf } from '../worker/order.ts'
import { lookedBefore } from '../worker/own-work.ts'
import { pause } from '../worker/pause.ts'
import { waitFor } from '../worker/wait.ts'
import type { Worker } from '../run/house.ts'
import type { Snapshot } from './change.ts'
import { seenNow } from './seen.ts'
import { pointOf } from './stretch.ts'

/** Git is busy with somebody else's work: look again every five seconds, and after thirty let a person decide. */
const BUSY_WAIT_MS = 5_000
const BUSY_TRIES = 6

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

export function surveyed(course: Course, event: EventOf<'surveyed'>, why: 'start' | 'before'): void {
  const { worker: id, snapshot } = event
  const worker = workerOf(course, id)
  patchWorker(course, id, { boxes: event.boxes, nextBox: event.nextBox })
  // What the agent left open is for the agent to finish; only somebody else's is waited for.
  const ours = snapshot.open !== undefined && worker.footing?.left === snapshot.open
  if (snapshot.busy !== null && !ours && isGoing(course, id)) return busy(course, event, snapshot.busy)
  const before = worker.seen
  const plan = event.plan ?? null
  const moved = before !== null && before.tree !== snapshot.tree
  lookedBefore(course, id, snapshot)
  patchWorker(course, id, { busy: 0, seen: seenNow(before, event), ...heldSince(worker, snapshot) })
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
  // A task that is put down needs no judge any more; the next one begins with what is seen now, and with what a person made of it.
  const isDropped = orderOf(course, id).is === 'drop'
  if (!isDropped && (why === 'start' || isUnprepared(course, id))) return prepare(course, id, before)
  const changed = before !== null && (moved || before.plan !== plan)
  if (changed && (isDropped || isGoing(course, id)) && mayMoveBase(course, id))
    return moveBase(course, id, before)
  goOn(course, id)
}

/** What a reader leaves is told from what lay there before it. */
function heldSince({ held }: Worker, snapshot: Snapshot): Partial<Pick<Worker, 'held'>> {
  return held === null ? {} : { held: { ...held, look: pointOf(snapshot) } }
}

function busy(course: Course, event: EventOf<'surveyed'>, what: string): void {
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
