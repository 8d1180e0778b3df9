/**
 * The stage in which a second agent reads a completion that holds so far: it can veto, never overrule a red gate. It reads only.
 *
 * The completion is what the stage was entered with. Its call goes the way of every call (`calls/call.ts`): an agent at its limit is waited
 * for, or another one is asked. If files change meanwhile, the completion is proven again.
 */
import { settleCall, startCall, takeWay, wayTo } from '../../calls/call.ts'
import { isAttempt } from '../../admission/retry-policy.ts'
import { answered, setAside, troubleIn } from '../../calls/failure.ts'
import { accept } from '../../completion/accept.ts'
import { completionGates } from '../../completion/gates.ts'
import { refuse } from '../../completion/refuse.ts'
import type { WorkerId } from '../../ids.ts'
import { seenNow } from '../../tree/seen.ts'
import { pointOf } from '../../tree/own-change.ts'
import { never } from '../../machine.ts'
import { abortPhase } from '../../pipeline/abort.ts'
import { finishStage, proceed, type StageResult } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import { readOpinion } from '../../proof/opinion.ts'
import type { Reply } from '../../reply/reply.ts'
import type { EventOf } from '../../state/event.ts'
import type { Ending } from '../../pipeline/finish.ts'
import type { OpinionHeard } from '../../state/state.ts'
import { decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { keepBase } from '../../tree/base.ts'
import { movesBase, survey, surveyAfter, takeLook } from '../../tree/look.ts'
import { isGoing, isStopping } from '../../admission/order.ts'
import { lookedAfter } from '../../tree/own-work.ts'
import { taskAsked } from '../../calls/task-asked.ts'
import { notRestored, putReaderBack, wasRestored, type OpinionRead } from './reader-back.ts'
import { notHeard, readers } from './readers.ts'

export const REVIEW: StageModule = {
  kind: 'review',
  phases: ['surveying', 'basing', 'admitting', 'reviewing', 'checking', 'restoring'],
  begin(course, id, entered) {
    if (entered === undefined) survey(course, id)
    else enterReview(course, id, entered)
  },
  on: {
    surveyed,
    'base-taken'(course, event) {
      keepBase(course, event)
      askReviewer(course, event.worker)
    },
    admitted: (course, event) => beginReview(course, event.worker),
    'agent-ended': (course, event) => afterReview(course, event.worker, event.reply),
    'put-back': wasRestored,
  },
  abort: abortPhase,
  describe: () => 'reviewing the completion',
  failed(course, id, { effect, why }) {
    if (effect?.type !== 'put-back') return false
    notRestored(course, id, why)
    return true
  },
  // What changed while nobody watched may be anybody's.
  resumed(course, id) {
    const { review, measured } = workerOf(course, id)
    if (review === null || measured) return
    const { look: _, ...kept } = review
    patchWorker(course, id, { review: kept })
  },
}

/** Without a completion, or where nobody is to review it any more, the result of the proof is passed on. */
function enterReview(course: Course, id: WorkerId, { completion, ending }: StageResult): void {
  if (ending === undefined) throw new Error('nothing was proven, so nothing is reviewed')
  if (completion === undefined) return finishStage(course, id, 'PASS', { ending })
  patchWorker(course, id, { review: null })
  if (readers(course, id).length === 0) return accept(course, id, ending)
  const judged = completionGates(course, id).length > 0
  const tree = judged ? (workerOf(course, id).seen?.tree ?? '') : null
  patchWorker(course, id, { review: { tree, failures: 0 } })
  proceed(course, id)
}

function surveyed(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  if (workerOf(course, id).phase.is === 'checking') return reviewChecked(course, event)
  const look = takeLook(course, event)
  if (look === null) return
  const { review } = workerOf(course, id)
  // What a reader leaves is told from what lay there before it.
  if (review !== null) patchWorker(course, id, { review: { ...review, look: pointOf(snapshot) } })
  if (!movesBase(course, id, look)) askReviewer(course, id)
}

/** Nobody is paid any more in a run that is to rest: the completion waits. */
function askReviewer(course: Course, id: WorkerId): void {
  const { review, seen, line } = workerOf(course, id)
  if (!isGoing(course, id)) return proceed(course, id)
  if (review !== null && (review.tree === null || review.tree === seen?.tree))
    return takeWay(course, id, 'opinion', wayTo(course, readers(course, id)))
  patchWorker(course, id, { review: null })
  decide(course, id, 'proof', 'again', 'files changed since the gates passed: the completion is proven anew')
  const completion = line?.input.completion
  finishStage(course, id, 'UNKNOWN', completion === undefined ? {} : { completion })
}

/** Admitted: the call is counted, the second agent starts. */
function beginReview(course: Course, id: WorkerId): void {
  const { run } = course.house
  const worker = workerOf(course, id)
  const { phase } = worker
  if (phase.is !== 'admitting') return
  const { agent } = phase
  const { iteration } = worker
  decide(course, id, 'proof', 'opinion', `${agent} is asked for a second opinion`)
  const { effort, output } = run.rules.agent
  const effect = startCall(course, id, phase, {
    context: { iteration, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    ...taskAsked(worker),
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
  })
  enter(course, id, { is: 'reviewing', effect, agent, aborting: null })
}

function afterReview(course: Course, id: WorkerId, reply: Reply): void {
  const { phase } = workerOf(course, id)
  if (phase.is !== 'reviewing') return
  settleCall(course, id, reply)
  // Whoever stops hears nothing any more; what it wrote is put back all the same.
  const stops = isStopping(course, id)
  const heard: OpinionHeard = stops ? { is: 'again' } : hear(course, id, phase.agent, reply)
  if (workerOf(course, id).phase.is === 'finished') return
  const effect = surveyAfter(course, id, 'check')
  enter(course, id, { is: 'checking', effect, agent: phase.agent, heard })
}

/** What the call came to: its word, or none. */
function hear(course: Course, id: WorkerId, agent: string, reply: Reply): OpinionHeard {
  if (reply.end === 'over-budget') return { is: 'again' }
  if (reply.end === 'interrupted') {
    decide(course, id, 'retry', 'repeat', 'the second opinion was cut off and is asked for again')
    return { is: 'again' }
  }
  const trouble = troubleIn(reply, { worked: false })
  if (trouble !== null && !isAttempt(trouble.remedy)) {
    setAside(course, id, { agent, order: readers(course, id) }, trouble)
    return { is: 'again' }
  }
  answered(course, agent)
  if (reply.end !== 'success') return { is: 'failed', why: reply.failure?.message ?? SAID_NOTHING[reply.end] }
  const opinion = readOpinion(reply)
  return opinion.is === 'none' ? { is: 'failed', why: NO_VERDICT } : { is: 'opinion', opinion }
}

const NO_VERDICT = 'it ended without a verdict'

const SAID_NOTHING: Record<Exclude<Reply['end'], 'success' | 'interrupted' | 'over-budget'>, string> = {
  failed: 'it failed',
  stopped: 'it was ended',
  silent: 'it fell silent and was ended',
  'timed-out': 'it took too long and was ended',
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
function reviewChecked(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const { seen, phase } = workerOf(course, id)
  if (phase.is !== 'checking') return
  const moved = seen !== null && seen.tree !== snapshot.tree
  const { boxes, nextBox } = event
  lookedAfter(course, id, snapshot)
  patchWorker(course, id, { seen: seenNow(seen, event), measured: true, boxes, nextBox })
  const { heard, agent } = phase
  if (moved) return putReaderBack(course, event, { agent, heard })
  if (isStopping(course, id)) return proceed(course, id)
  afterHearing(course, id, { agent, heard })
}

function afterHearing(course: Course, id: WorkerId, { agent, heard }: OpinionRead): void {
  switch (heard.is) {
    case 'again':
      return proceed(course, id)
    case 'failed':
      return notHeard(course, id, { agent, why: heard.why })
    case 'opinion':
      patchWorker(course, id, { review: null })
      return weighOpinion(course, id, heard.opinion)
    default:
      return never(heard)
  }
}

function weighOpinion(
  course: Course,
  id: WorkerId,
  opinion: Extract<OpinionHeard, { is: 'opinion' }>['opinion'],
): void {
  if (opinion.is === 'pass') {
    const ending = endingOf(course, id)
    return accept(course, id, { ...ending, why: `${ending.why}; a second agent agrees` })
  }
  refuse(course, id, {
    why: `the second opinion says no: ${opinion.why}`,
    tell: `A reviewer says: ${opinion.why}`,
    verdict: 'failed',
    says: opinion.why,
  })
}

/** What the completion amounts to, unless the second agent objects. */
function endingOf(course: Course, id: WorkerId): Ending {
  const ending = workerOf(course, id).line?.input.ending
  if (ending === undefined) throw new Error('nothing was proven, so nothing is reviewed')
  return ending
}
