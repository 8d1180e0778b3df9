/** A loop's completion on the ladder: what each move of it asks of the engine, and what the run makes of its end. */
import type { EventOf } from '../../state/event.ts'
import type { Worker } from '../../state/state.ts'
import type { EffectId, WorkerId } from '../../ids.ts'
import { never } from '../../machine.ts'
import { acceptanceOf, acceptWords, isAboutTree, whyAsked } from '../../proof/acceptance.ts'
import { WAYS_OUT } from '../../proof/fitness.ts'
import { beginClimb, climb } from '../../proof/ladder.ts'
import { sortingOf, type RungAnswer, type Climb, type LadderMove } from '../../proof/rung.ts'
import { PURPOSES } from '../../proof/trial.ts'
import { isStopping } from '../../admission/order.ts'
import { ask, decide, enter, workerOf, type Course } from '../../state/context.ts'
import type { Ending } from '../../pipeline/finish.ts'
import { completionGates } from '../../completion/gates.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import { taskOf, verifyOf } from '../../state/job.ts'
import { flakyNote, gatesPassed, provingOf, type Proving } from './proving.ts'
import { refuse, sendBackUnproven } from '../../completion/refuse.ts'
import { accept, passOn } from '../../completion/accept.ts'
import { findGround, verifiedBy } from './verified.ts'

/** The gates passed where the work was made: now the completion is tried in the clean room, if there is one. */
export function climbOn(course: Course, id: WorkerId, proving: Proving): void {
  if (verifyOf(workerOf(course, id)) !== null) return findGround(course, id, proving)
  const { room, base } = workerOf(course, id)
  if (room?.is === 'fit' && base !== null) return takeMove(course, id, proving, beginClimb())
  const why =
    room?.is === 'unfit'
      ? `the clean room is not fit to judge this project: ${room.why}`
      : 'nobody knows how the work began, so it cannot be judged'
  const { completion } = proving
  finishStage(course, id, 'PASS', {
    ending: {
      is: completion.is,
      why: `${completion.why}; the gates passed; unproven, because ${why}`,
      ...(room?.is === 'unfit' ? { cause: { is: 'blind', mend: WAYS_OUT } } : {}),
    },
  })
}

export function changesSorted(course: Course, event: EventOf<'changes-sorted'>): void {
  for (const note of event.sorting.notes) decide(course, event.worker, 'proof', 'note', note)
  answered(course, event.worker, { is: 'sorted', sorting: event.sorting })
}

export function roomTried(course: Course, event: EventOf<'room-tried'>): void {
  answered(course, event.worker, { is: 'tried', trial: event.trial })
}

export function lookedAgain(course: Course, event: EventOf<'looked-again'>): void {
  answered(course, event.worker, { is: 'looked', changed: event.changed })
}

function answered(course: Course, id: WorkerId, answer: RungAnswer): void {
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'ladder') return
  if (isStopping(course, id)) return proceed(course, id)
  const by = climbOf(course, workerOf(course, id))
  if (by === null) return
  takeMove(course, id, proving, climb(proving.proof.at.ladder, answer, by))
}

/** What the ladder goes by; null: there is no base, so nobody climbs. */
function climbOf(course: Course, worker: Worker): Climb | null {
  const { id, base, room, iteration } = worker
  const { reruns, trials } = course.house.run.rules.proof
  if (base === null) return null
  const isTried = room?.is === 'fit' && room.base === base.tree
  return {
    gates: completionGates(course, id),
    base,
    // Before the first iteration nobody has done or said anything: the plan was complete already.
    about: iteration > 0 || taskOf(worker) !== null ? 'work' : isTried ? 'state' : 'changed-state',
    testsAtBase: isTried ? room.tests : null,
    wroteAtBase: room?.is === 'fit' ? room.wrote : [],
    reruns,
    trials,
  }
}

export function takeMove(
  course: Course,
  id: WorkerId,
  { completion, proof }: Proving,
  move: LadderMove,
): void {
  const { ladder } = move
  tellClimbed(course, id, proof.at.is === 'ladder' ? proof.at.ladder.climbed.length : 0, move)
  if (move.say !== null) decide(course, id, 'proof', 'try', move.say)
  const on: Proving = { completion, proof: { ...proof, at: { is: 'ladder', ladder } } }
  if (move.is === 'sort' || move.is === 'try' || move.is === 'look')
    return enter(course, id, { is: 'proving', effect: asked(course, id, move), ...on })
  if (verifyOf(workerOf(course, id)) !== null) return verifiedBy(course, id, move)
  const said = (why: string): string => `${completion.why}; ${why}`
  switch (move.is) {
    case 'proven': {
      const { final, plan, refs } = sortingOf(ladder)
      const ending: Ending = {
        is: completion.is,
        why: said(`${gatesPassed(course, id, proof)}; ${move.why}${flakyNote(proof)}`),
        verdict: 'proven',
        base: { tree: final, plan, refs, from: 'proven' },
        tests: ladder.tests,
      }
      // A proof that still holds was given with all that was asked for then.
      const isNew = workerOf(course, id).base?.tree !== final
      return isNew ? passOn(course, id, completion, ending) : accept(course, id, ending)
    }
    case 'accept': {
      const acceptance = acceptanceOf(sortingOf(ladder), move.needed, move.ignored)
      const ending: Ending = {
        is: 'needs_acceptance',
        why: `done, if you accept ${acceptWords(acceptance.count, isAboutTree(acceptance))}: ${whyAsked(move.why, acceptance)}`,
        verdict: 'needs-acceptance',
        acceptance,
      }
      if (move.tell !== null) return sendBackUnproven(course, id, { tell: move.tell, ending })
      return passOn(course, id, completion, ending)
    }
    case 'refused':
      return refuse(course, id, move)
    case 'unproven':
      return sendBackUnproven(course, id, {
        tell: move.tell,
        ending: {
          is: completion.is,
          why: said(`unproven: ${move.why}`),
          verdict: 'unproven',
          ...(workerOf(course, id).iteration === 0 ? {} : { cause: { is: 'blind', mend: move.tell } }),
        },
      })
    case 'room-failed':
      return finishStage(course, id, 'FAIL', {
        ending: { is: 'room_failed', why: said(`unproven: ${move.why}`), verdict: 'unproven' },
      })
    default:
      return never(move)
  }
}

function asked(
  course: Course,
  id: WorkerId,
  move: Extract<LadderMove, { is: 'sort' | 'try' | 'look' }>,
): EffectId {
  const worker = workerOf(course, id)
  const { base, seen, iteration, room } = worker
  const tests = taskOf(worker)?.tests ?? []
  if (base === null || seen === null) throw new Error('a claim climbs only from a base')
  switch (move.is) {
    case 'sort':
      return ask(course, {
        type: 'sort-changes',
        worker: id,
        iteration,
        base,
        tree: seen.tree,
        gates: completionGates(course, id),
        ...(tests.length > 0 ? { tests } : {}),
      })
    case 'try': {
      const { arrangement, gates, purpose } = move
      const { file, hash, final } = sortingOf(move.ladder)
      return ask(course, {
        type: 'try-room',
        worker: id,
        iteration,
        purpose,
        arrangement,
        base,
        sorting: { file, hash, final },
        gates,
        lend: room?.is === 'fit' ? room.lend : 'tools',
        all: false,
      })
    }
    case 'look':
      return ask(course, { type: 'look-again', worker: id, final: sortingOf(move.ladder).final })
    default:
      return never(move)
  }
}

/** What a rung has shown is told as soon as it is known, with its time. */
function tellClimbed(course: Course, id: WorkerId, before: number, { ladder }: LadderMove): void {
  for (const { rung, said, durationMs } of ladder.climbed.slice(before)) {
    const time = durationMs > 0 ? `, ${(durationMs / 1000).toFixed(1)} s` : ''
    const why = `${PURPOSES[rung]}: ${said}${time}`
    course.decisions.push({ by: 'proof', what: 'rung', why, worker: id, step: { rung, said, durationMs } })
  }
}
