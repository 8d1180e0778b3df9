/** An iteration that failed, or that nobody could do anything about. */
import type { Millis, WorkerId } from '../ids.ts'
import { backOff } from '../admission/cooldown.ts'
import { answered, sentence, setAside, troubleIn, type Trouble } from './failure.ts'
import { span } from '../text/amounts.ts'
import type { Reply } from '../reply/reply.ts'
import { decide, patchWorker, workerOf, type Course } from '../state/context.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { waitFor } from '../pipeline/wait.ts'
import type { IterationOf } from './iteration.ts'
import type { Change } from '../tree/change.ts'
import { cameToNothing, hintTold } from './choose-model.ts'
import { tagProblems } from './concluded.ts'
import type { IterationOutcome } from '../state/decision.ts'
import { endIteration } from './end-iteration.ts'
import { moveBreaker } from '../admission/move-breaker.ts'

/** A call that failed: why, and the back-off before the next one. */
export interface FailedCall {
  because: string
  afterMs: Millis
}

interface Done {
  agent: string
  reply: Reply
  change: Change
}

/** The iteration is not counted and the breaker hears nothing of it. */
export function unattempted(course: Course, id: WorkerId, { agent, change }: Done, trouble: Trouble): void {
  if (trouble.remedy === 'outage' && change.files > 0)
    patchWorker(course, id, { previous: 'It was cut off by an outage; what it changed stays.' })
  endIteration(course, id, ...outcomeOf(agent, trouble))
  setAside(course, id, { agent, order: course.house.run.rules.agent.order }, trouble)
  proceed(course, id)
}

function outcomeOf(agent: string, { failure, remedy }: Trouble): [IterationOutcome, string] {
  if (remedy === 'elsewhere') return ['unusable', sentence(agent, failure)]
  return [remedy === 'outage' ? 'unreachable' : 'limited', `${agent}: ${failure.message}`]
}

/** It may come from the work: it counts for the breaker, and the next try begins with a fresh conversation. */
export function failed(
  course: Course,
  id: WorkerId,
  done: Done,
  { afterFailure }: Pick<IterationOf, 'afterFailure'>,
): void {
  const { reply, agent } = done
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const said = reply.failure?.message ?? describeEnd(reply)
  const failures = worker.failures + 1
  endIteration(course, id, 'failed', `${agent}: ${said}`)
  // A resumed context may be what poisoned the call, so a failed one is never resumed.
  patchWorker(course, id, {
    failures,
    conversation: null,
    previous: `It failed: ${said}`.slice(0, 200),
    // What was to be put right before still is.
    corrections: [
      ...new Set([...worker.corrections, ...hintTold(course, done), ...tagProblems(reply)]),
    ].slice(-8),
  })
  answered(course, agent)
  const poisoned = troubleIn(reply, { worked: false })?.remedy === 'fresh-conversation'
  if (poisoned && worker.conversation !== null) {
    decide(course, id, 'retry', 'fresh', 'a fresh conversation is begun')
    return proceed(course, id)
  }
  const delay = backOff(failures, rules.retry)
  if (afterFailure?.(course, id, { because: `${agent}: ${said}`, afterMs: delay }) === true) return
  moveBreaker(course, id, {
    progress: done.change.files > 0,
    // Silence is a lack of progress as well; another failure says nothing about the work.
    question: reply.end !== 'silent' && reply.end !== 'timed-out',
    error: true,
    said,
    denied: false,
    declined: false,
  })
  const isOpen = workerOf(course, id).breaker.is === 'open'
  cameToNothing(course, id, { stuck: isOpen })
  if (isOpen) return proceed(course, id)
  decide(course, id, 'retry', 'wait', `trying again in ${span(delay)}`)
  waitFor(course, id, delay, `${agent}: ${said}`)
}

function describeEnd(reply: Reply): string {
  if (reply.end === 'silent') return 'no output until the idle limit'
  if (reply.end === 'timed-out') return 'the time limit passed and nothing had changed'
  return 'it ended without saying why'
}
