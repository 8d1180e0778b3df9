/** A call that nobody could do anything about: what becomes of its agent, by the table in `remedy.ts`. The same for every role. */
import { never } from '../machine.ts'
import type { WorkerId } from '../ids.ts'
import type { Reply, ReplyFailure } from '../reply/reply.ts'
import { finish } from '../pipeline/finish.ts'
import type { Cause } from '../state/outcome.ts'
import { decide, patchRun, patchWorker, workerOf, type Course } from '../state/context.ts'
import { span } from '../text/amounts.ts'
import { clip } from '../text/text.ts'
import { cureFor, remedyFor, type Remedy } from '../admission/retry-policy.ts'
import { credentialOf, isFree, limitRest, outageRest } from '../admission/cooldown.ts'

export interface Trouble {
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

/** Whose call it was, and who else could take it. */
export interface Called {
  agent: string
  order: string[]
}

/**
 * Rest, outage and an unusable agent are nobody's attempt: the agent is set aside, and the call is for somebody else or for later. Ends
 * the worker where nobody is left; whoever called goes on otherwise.
 */
export function setAside(course: Course, id: WorkerId, called: Called, { failure, remedy }: Trouble): void {
  switch (remedy) {
    case 'rest':
      return limited(course, id, called, failure)
    case 'outage':
      return outage(course, id, called, failure)
    case 'elsewhere':
      return unusable(course, id, called, failure)
    case 'fresh-conversation':
    case 'breaker':
      return
    default:
      return never(remedy)
  }
}

/** A limit is nobody's fault: the agent rests until its reset and the next one in the order takes over. */
function limited(course: Course, id: WorkerId, called: Called, failure: ReplyFailure): void {
  const { agent } = called
  const { run } = course.house
  const key = credentialOf(run.rules, agent)
  const kind = failure.kind === 'rate-limit' ? 'rate-limit' : 'usage-limit'
  const resets = failure.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt }
  const rest = limitRest({ kind, ...resets }, run.rests[key], run.rules.retry, course.now.at)
  const announced = failure.resetsAt === rest.until
  const pause = span(rest.until - course.now.at)
  decide(
    course,
    id,
    'limit',
    'rest',
    kind === 'rate-limit'
      ? `${agent} was asked too fast (${failure.message}) and pauses for ${pause}${announced ? ', as told' : ''}`
      : `${agent} is at its usage limit (${failure.message}) and rests ${announced ? 'until its reset, as announced' : `for ${pause}: no reset was announced`}`,
  )
  patchRun(course, { rests: { ...run.rests, [key]: rest } })
  handOver(course, id, called, 'rests')
}

/** Says nothing about the work: somebody else takes over, and this one is tried again after its back-off. */
function outage(course: Course, id: WorkerId, called: Called, failure: ReplyFailure): void {
  const { agent } = called
  const { run } = course.house
  const key = credentialOf(run.rules, agent)
  const rest = outageRest(clip(failure.message, SAID_MAX), run.rests[key], run.rules.retry, course.now)
  decide(course, id, 'retry', 'outage', `${agent} is not reachable: ${failure.message}`)
  patchRun(course, { rests: { ...run.rests, [key]: rest } })
  // A resumed context may be what the server chokes on; another agent's is not concerned.
  forgetConversation(course, id, agent)
  handOver(course, id, called, 'is not reachable')
}

/** As much of the vendor's words as a wait repeats on every screen. */
const SAID_MAX = 160

function handOver(course: Course, id: WorkerId, { agent, order }: Called, why: string): void {
  const { rests, rules, unusable: gone } = course.house.run
  const other = order.find(
    (name) =>
      name !== agent && gone[name] === undefined && isFree(rests[credentialOf(rules, name)], course.now),
  )
  if (other !== undefined) decide(course, id, 'agent', 'switch', `${other} takes over while ${agent} ${why}`)
}

/** Waiting cannot cure it, so it is not asked again: the next agent in the order, else the end. */
function unusable(course: Course, id: WorkerId, { agent, order }: Called, failure: ReplyFailure): void {
  const { run } = course.house
  const why = sentence(agent, failure)
  patchRun(course, { unusable: { ...run.unusable, [agent]: why } })
  const others = order.filter((name) => course.house.run.unusable[name] === undefined)
  if (others.length === 0) {
    const before = order.flatMap((name) => run.unusable[name] ?? [])
    return finish(course, id, {
      is: 'agent_unusable',
      why: [why, ...before].join(' '),
      cause: causeIn(agent, failure),
    })
  }
  decide(
    course,
    id,
    'agent',
    'switch',
    `${why} ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} on.`,
  )
  forgetConversation(course, id, agent)
}

function forgetConversation(course: Course, id: WorkerId, agent: string): void {
  if (workerOf(course, id).conversation?.agent === agent) patchWorker(course, id, { conversation: null })
}

function causeIn(agent: string, failure: ReplyFailure): Cause {
  const { kind, command = null } = failure
  return { is: 'agent', agent, kind, cure: cureFor(failure), command }
}

/** The vendor's own sentence, and what a person can do. */
export function sentence(agent: string, failure: ReplyFailure): string {
  const said = failure.message.trim()
  const cure = cureFor(failure)
  return `${agent}: ${said}${/[.!?]$/.test(said) ? '' : '.'}${cure === null ? '' : ` ${cure}`}`
}

/** Whatever it said, it was reached: no outage, no limit, and the back-off begins anew. */
export function answered(course: Course, agent: string): void {
  const key = credentialOf(course.house.run.rules, agent)
  const { [key]: rest, ...rests } = course.house.run.rests
  if (rest !== undefined) patchRun(course, { rests })
}
