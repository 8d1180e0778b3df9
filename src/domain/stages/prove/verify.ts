/**
 * A run of `ralph verify`: the stage *prove* alone, on the tree as it lies there. It looks at the tree, runs every gate, finds the base that a
 * completion would be judged against (`verified.ts`), and takes the same proof steps.
 */
import type { WorkerId } from '../../ids.ts'
import { seenNow } from '../../tree/seen.ts'
import { proceed } from '../../pipeline/finish-stage.ts'
import { beginClimb } from '../../proof/ladder.ts'
import { testsIn } from '../../proof/trial.ts'
import { judge } from '../../proof/verdict.ts'
import type { EventOf } from '../../state/event.ts'
import type { Completion } from '../../state/state.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { isStopping } from '../../admission/order.ts'
import { takeMove } from './climbing.ts'
import { completionGates } from '../../completion/gates.ts'
import { provingOf } from './proving.ts'
import { proofAt, verified } from './verified.ts'

/** Nobody claims anything: the state is judged. */
const STATE: Completion = { is: 'verified', why: 'verified by hand' }

export function beginVerify(course: Course, id: WorkerId): void {
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'verify',
    iteration: 0,
    since: null,
    sinceHead: null,
  })
  enter(course, id, {
    is: 'proving',
    effect,
    completion: STATE,
    proof: { evidence: [], flaky: [], at: { is: 'look' } },
  })
}

/** The tree was looked at: the gates run next. */
export function treeSeen(
  course: Course,
  event: EventOf<'surveyed'>,
  runGates: (course: Course, id: WorkerId, completion: Completion) => void,
): void {
  const { worker: id } = event
  if (provingOf(course, id)?.proof.at.is !== 'look') return
  if (isStopping(course, id)) return proceed(course, id)
  patchWorker(course, id, { seen: seenNow(null, event) })
  const gates = completionGates(course, id)
  if (gates.length === 0) return verified(course, id, judge(gates, []))
  runGates(course, id, STATE)
}

export function groundTaken(course: Course, event: EventOf<'base-taken'>): void {
  const { worker: id, base, fitness, lend, verify } = event
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'base') return
  if (isStopping(course, id)) return proceed(course, id)
  patchWorker(course, id, { base, room: fitness })
  if (verify?.commit === 'last') decide(course, id, 'proof', 'note', JUDGED_BY_COMMIT)
  if (verify?.ready === true) return takeMove(course, id, proving, beginClimb())
  // Where no run has prepared the clean room, it takes its tools as they are now, and the gates show what they do there at the base.
  const effect = ask(course, {
    type: 'try-room',
    worker: id,
    iteration: 0,
    purpose: 'fitness',
    arrangement: { is: 'base' },
    base,
    sorting: null,
    gates: completionGates(course, id),
    lend,
    all: true,
  })
  proofAt(course, id, proving, { at: { is: 'room' }, effect })
}

const JUDGED_BY_COMMIT =
  'Nothing was proven here yet: judged against the last commit. Another one: --since REF'

export function isAtBase(course: Course, id: WorkerId): boolean {
  return provingOf(course, id)?.proof.at.is === 'room'
}

export function roomTriedAtBase(course: Course, { worker: id, trial }: EventOf<'room-tried'>): void {
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'room') return
  if (isStopping(course, id)) return proceed(course, id)
  const { room } = workerOf(course, id)
  // A gate that fails here fails again when the state is tried, and is reported then.
  if (trial.is === 'ran' && room?.is === 'fit')
    patchWorker(course, id, { room: { ...room, tests: testsIn(trial), wrote: trial.wrote } })
  takeMove(course, id, proving, beginClimb())
}
