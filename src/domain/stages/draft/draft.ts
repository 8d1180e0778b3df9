/** The stage in which an agent drafts a document: turns, with questions to a person, until the document is complete. */
import { passesLimits, takeWay, wayTo } from '../../calls/call.ts'
import { beginIteration } from '../../calls/begin-iteration.ts'
import { iterationEvents, notKept, type IterationOf } from '../../calls/iteration.ts'
import type { WorkerId } from '../../ids.ts'
import { endIteration } from '../../calls/end-iteration.ts'
import type { TierChoice } from '../../memory/strategy.ts'
import { abortPhase } from '../../pipeline/abort.ts'
import { proceed } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import type { EventOf } from '../../state/event.ts'
import { patchWorker, workerOf, type Course } from '../../state/context.ts'
import { survey, takeLook } from '../../tree/look.ts'
import { draftOf } from '../../state/job.ts'
import { answersFrom, askPerson, openQuestion, turnBegins } from './ask.ts'
import { clear, isAstray, lookAnew } from './clear.ts'
import { draftAsked, draftWrites } from './draft-asked.ts'
import { isUnseen, lookFirst, NO_TURN } from './take-paper.ts'
import { notCleared, paperTaken, wasCleared, weighCut, weighDraft } from './weigh-draft.ts'

/** What is drafted decides about all that is built by it. */
const PLANNING: TierChoice = { tier: 'strong', why: 'a draft plans' }

const TURN: IterationOf = {
  writes: draftWrites,
  // What a turn changes beside its document is reverted.
  commit: () => null,
  isReverted: isAstray,
  afterKnowledge: lookAnew,
  // A document counts only if its turn ended.
  isWorked: ({ reply }) => reply.end === 'success',
  weigh(course, id, done) {
    const job = draftOf(workerOf(course, id))
    if (job !== null) weighDraft(course, id, { ...done, job })
  },
  cutOff(course, id) {
    const { iteration } = workerOf(course, id)
    patchWorker(course, id, { conversation: null })
    endIteration(course, id, 'interrupted', `iteration ${iteration} was cut off; what it changed stays`)
    weighCut(course, id)
  },
  // What a person answered was in that prompt: whoever is asked next is told all of it again.
  notAttempted: (course, id) => patchWorker(course, id, { conversation: null }),
}

const CALL = iterationEvents(TURN)

export const DRAFT: StageModule = {
  kind: 'draft',
  phases: ['surveying', 'admitting', 'working', 'measuring', 'remembering', 'clearing', 'taking', 'asking'],
  begin(course, id, entered) {
    const worker = workerOf(course, id)
    if (entered === undefined) return beginTurn(course, id)
    if (worker.seen === null) return survey(course, id, draftWrites(worker))
    proceed(course, id)
  },
  on: {
    ...CALL,
    surveyed(course, event) {
      if (workerOf(course, event.worker).phase.is === 'surveying') surveyed(course, event)
      else CALL.surveyed(course, event)
    },
    admitted: (course, event) => admitted(course, event.worker),
    'put-back': wasCleared,
    'paper-taken': paperTaken,
  },
  abort: abortPhase,
  describe: ({ line }) => `drafting ${line?.at ?? 'a document'}`,
  failed(course, id, { effect, why, isLost }) {
    if (effect?.type === 'keep-knowledge' && !isLost) notKept(course, id, TURN)
    else if (effect?.type === 'put-back') notCleared(course, id, why)
    else return false
    return true
  },
  // Also after a turn that failed or was stopped.
  cleanUp: (course, id) => isAstray(course, id) && clear(course, id, NO_TURN),
  /** Whatever an agent was at may be somebody else's by now, and what the draft is made from may be gone. */
  resumed(course, id, { asks }) {
    const worker = workerOf(course, id)
    const job = draftOf(worker)
    if (job === null) return
    const own = job.own === null || worker.measured ? job.own : { ...job.own, mixed: true }
    patchWorker(course, id, { job: { ...job, own, seen: null } })
    if (asks !== undefined) answersFrom(course, id, asks)
  },
}

function beginTurn(course: Course, id: WorkerId): void {
  if (isUnseen(course, id)) return lookFirst(course, id)
  if (!passesLimits(course, id)) return
  const question = openQuestion(course, id)
  if (question !== null) return askPerson(course, id, question)
  const worker = workerOf(course, id)
  const way = wayTo(course, course.house.run.rules.agent.order)
  if (way.is === 'free' && worker.seen?.fresh !== true) return survey(course, id, draftWrites(worker))
  takeWay(course, id, 'work', way)
}

function surveyed(course: Course, event: EventOf<'surveyed'>): void {
  if (takeLook(course, event) !== null) proceed(course, event.worker)
}

function admitted(course: Course, id: WorkerId): void {
  // Who drafts is told again all that people said.
  beginIteration(course, id, {
    about: draftAsked(workerOf(course, id)),
    openBoxes: null,
    tier: PLANNING,
    steering: () => [],
  })
  turnBegins(course, id)
}
