/** A call that failed: what is done about it, by the table in `remedy.ts`. */
import type { Change } from '../iteration/change.ts'
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import type { Reply, ReplyFailure } from '../reply/reply.ts'
import { clip } from '../text/text.ts'
import { decide, patchRun, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { finish } from '../run/finish.ts'
import { moveBreaker } from '../iteration/move-breaker.ts'
import { next, waitFor } from '../iteration/next.ts'
import type { Cause } from '../run/outcome.ts'
import { cureFor, remedyFor, type Remedy } from './remedy.ts'
import { backOff, isFree, limitRest, outageRest } from './rest.ts'

interface Done {
  agent: string
  reply: Reply
  change: Change
}

interface Trouble {
  failure: ReplyFailure
  remedy: Remedy
}

/** What stopped the agent; null: nothing. After some work only a limit still matters: the next call would meet it again. */
export function troubleIn(reply: Reply, { worked }: { worked: boolean }): Trouble | null {
  const { failure } = reply
  if (failure === null || reply.end === 'success') return null
  const remedy = remedyFor(failure.kind)
  return worked && remedy !== 'rest' ? null : { failure, remedy }
}

/** Rest, outage and an unusable agent are nobody's attempt: the iteration is not counted and the breaker hears nothing of it. */
export function unattempted(course: Course, id: WorkerId, done: Done & Trouble): void {
  switch (done.remedy) {
    case 'rest':
      return limited(course, id, done)
    case 'outage':
      return outage(course, id, done)
    case 'elsewhere':
      return unusable(course, id, done)
    case 'fresh-conversation':
    case 'breaker':
      return
    default:
      return never(done.remedy)
  }
}

/** A limit is nobody's fault: the agent rests until its reset and the next one in the order takes over. */
function limited(course: Course, id: WorkerId, { agent, failure }: Done & Trouble): void {
  const { run } = course.house
  const kind = failure.kind === 'rate-limit' ? 'rate-limit' : 'usage-limit'
  const resets = failure.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt }
  const rest = limitRest({ kind, ...resets }, run.rests[agent], run.rules.retry, course.now.at)
  const announced = failure.resetsAt === rest.until
  const pause = seconds(rest.until - course.now.at)
  decide(
    course,
    'limit',
    'rest',
    kind === 'rate-limit'
      ? `${agent} was asked too fast (${failure.message}) and pauses for ${pause}${announced ? ', as told' : ''}`
      : `${agent} is at its usage limit (${failure.message}) and rests ${announced ? 'until its reset, as announced' : `for ${pause}: no reset was announced`}`,
  )
  patchRun(course, { rests: { ...run.rests, [agent]: rest } })
  handOver(course, agent, 'rests')
  next(course, id)
}

/** Says nothing about the work: somebody else takes over, and this one is tried again after its back-off. */
function outage(course: Course, id: WorkerId, { agent, failure, change }: Done & Trouble): void {
  const { run } = course.house
  const worker = workerOf(course, id)
  const rest = outageRest(clip(failure.message, SAID_MAX), run.rests[agent], run.rules.retry, course.now)
  decide(course, 'retry', 'outage', `${agent} is not reachable: ${failure.message}`)
  patchRun(course, { rests: { ...run.rests, [agent]: rest } })
  patchWorker(course, id, {
    // A resumed context may be what the server chokes on; another agent's is not concerned.
    conversation: worker.conversation?.agent === agent ? null : worker.conversation,
    previous: change.files === 0 ? worker.previous : 'It was cut off by an outage; what it changed stays.',
  })
  handOver(course, agent, 'is not reachable')
  next(course, id)
}

/** As much of the vendor's words as a wait repeats on every screen. */
const SAID_MAX = 160

function handOver(course: Course, agent: string, why: string): void {
  const { rules, rests, unusable: gone } = course.house.run
  const other = rules.agent.order.find(
    (name) => name !== agent && gone[name] === undefined && isFree(rests[name], course.now),
  )
  if (other !== undefined) decide(course, 'agent', 'switch', `${other} takes over while ${agent} ${why}`)
}

/** Waiting cannot cure it, so it is not asked again: the next agent in the order, else the end. */
function unusable(course: Course, id: WorkerId, { agent, failure }: Done & Trouble): void {
  const { run } = course.house
  const why = sentence(agent, failure)
  patchRun(course, { unusable: { ...run.unusable, [agent]: why } })
  const others = run.rules.agent.order.filter((name) => course.house.run.unusable[name] === undefined)
  if (others.length === 0) {
    const before = run.rules.agent.order.flatMap((name) => run.unusable[name] ?? [])
    return finish(course, id, {
      is: 'agent_unusable',
      why: [why, ...before].join(' '),
      cause: causeIn(agent, failure),
    })
  }
  decide(course, 'agent', 'switch', `${why} ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} on.`)
  const { conversation } = workerOf(course, id)
  if (conversation?.agent === agent) patchWorker(course, id, { conversation: null })
  next(course, id)
}

export function causeIn(agent: string, failure: ReplyFailure): Cause {
  const { kind, command = null } = failure
  return { is: 'agent', agent, kind, cure: cureFor(failure), command }
}

/** The vendor's own sentence, and what a person can do. */
export function sentence(agent: string, failure: ReplyFailure): string {
  const said = failure.message.trim()
  const cure = cureFor(failure)
  return `${agent}: ${said}${/[.!?]$/.test(said) ? '' : '.'}${cure === null ? '' : ` ${cure}`}`
}

/** It may come from the work: it counts for the breaker, and the next try begins with a fresh conversation. */
export function failed(course: Course, id: WorkerId, done: Done): void {
  const { reply, agent } = done
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const said = reply.failure?.message ?? describeEnd(reply)
  const failures = worker.failures + 1
  // A resumed context may be what poisoned the call, so a failed one is never resumed.
  patchWorker(course, id, { failures, conversation: null, previous: `It failed: ${said}`.slice(0, 200) })
  answered(course, agent)
  const poisoned = troubleIn(reply, { worked: false })?.remedy === 'fresh-conversation'
  if (poisoned && worker.conversation !== null) {
    decide(course, 'retry', 'fresh', `${agent}: ${said}; a fresh conversation is begun`)
    return next(course, id)
  }
  moveBreaker(course, id, {
    progress: done.change.files > 0,
    // Silence is a lack of progress as well; another failure says nothing about the work.
    question: reply.end !== 'silent' && reply.end !== 'timed-out',
    error: true,
    said,
    denied: false,
    declined: false,
  })
  if (workerOf(course, id).breaker.is === 'open') return next(course, id)
  const delay = backOff(failures, rules.retry)
  decide(course, 'retry', 'wait', `${agent}: ${said}; trying again in ${seconds(delay)}`)
  waitFor(course, id, delay, `${agent}: ${said}`)
}

/** Whatever it said, it was reached: no outage, no limit, and the back-off begins anew. */
export function answered(course: Course, agent: string): void {
  const { [agent]: rest, ...rests } = course.house.run.rests
  if (rest !== undefined) patchRun(course, { rests })
}

function describeEnd(reply: Reply): string {
  if (reply.end === 'silent') return 'no output until the idle limit'
  if (reply.end === 'timed-out') return 'the time limit passed and nothing had changed'
  return 'it ended without saying why'
}

function seconds(ms: number): string {
  const s = Math.round(ms / 1000)
  return s < 120 ? `${s} s` : `${Math.round(s / 60)} min`
}
