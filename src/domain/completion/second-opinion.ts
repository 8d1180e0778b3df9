/**
 * A second agent's word on a completion that holds so far: it can veto, never overrule a red gate. It reads only, and is asked last.
 *
 * The completion is held until it has spoken. Its call goes the way of every call (`call/call.ts`): an agent at its limit is waited for, or
 * another one is asked. Whatever happens to the tree meanwhile, the completion is judged anew then (`iteration/go-on.ts`).
 */
import type { EventOf } from '../run/event.ts'
import type { Completion, OpinionHeard } from '../run/house.ts'
import type { WorkerId } from '../ids.ts'
import { readOpinion } from '../proof/opinion.ts'
import type { Reply } from '../reply/reply.ts'
import { callNumber, go, limitsOf, settleCall, wayTo } from '../call/call.ts'
import { isAttempt } from '../call/remedy.ts'
import { backOff } from '../call/rest.ts'
import { answered, setAside, troubleIn } from '../call/trouble.ts'
import { span } from '../text/amounts.ts'
import { isGoing, isStopping } from '../worker/order.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import type { Ending } from '../run/finish.ts'
import { gave } from '../worker/gave.ts'
import { next } from '../iteration/next.ts'
import { seenNow } from '../iteration/seen.ts'
import { lookedAfter } from '../worker/own-work.ts'
import { taskAsked } from '../worker/task-asked.ts'
import { waitFor } from '../worker/wait.ts'
import { refuse } from './refuse.ts'

/** Ends the run as it is to end, or asks the second agent first. */
export function lastWord(course: Course, id: WorkerId, completion: Completion, unless: Ending): void {
  if (reviewers(course, id).length === 0) return accept(course, id, unless)
  const tree = workerOf(course, id).seen?.tree ?? ''
  patchWorker(course, id, { held: { completion, unless, tree, failures: 0 } })
  askOpinion(course, id)
}

export function accept(course: Course, id: WorkerId, ending: Ending): void {
  decide(course, 'proof', ending.acceptance === undefined ? 'accept' : 'ask', ending.why)
  gave(course, id, 'PASS', { ending })
}

export function askOpinion(course: Course, id: WorkerId): void {
  // Nobody is paid any more in a run that is to rest: the completion waits.
  if (!isGoing(course, id)) return next(course, id)
  go(course, id, 'opinion', wayTo(course, reviewers(course, id)))
}

/**
 * The chosen one; while it rests, whoever else is in the order and did not do the work. Nobody is chosen: a task is read by whoever did not
 * work on it, and where there is no other agent by the same one, which knows nothing of what it said before.
 */
function reviewers(course: Course, id: WorkerId): string[] {
  const { agent, proof, task } = course.house.run.rules
  const { author, job } = workerOf(course, id)
  const others = agent.order.filter((name) => name !== author)
  if (proof.opinion !== null) return [proof.opinion, ...others.filter((name) => name !== proof.opinion)]
  if (job.is !== 'task' || !task.verify) return []
  return others.length > 0 ? others : agent.order
}

/** Admitted: the call is counted, the second agent starts. */
export function beginOpinion(course: Course, id: WorkerId, agent: string): void {
  const { run } = course.house
  const iteration = callNumber(course, id, 'opinion')
  decide(course, 'proof', 'opinion', `${agent} is asked for a second opinion`)
  const { effort, output } = run.rules.agent
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'opinion',
    context: { iteration, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    ...taskAsked(workerOf(course, id)),
    prompt: run.rules.loop.prompt,
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
    ...limitsOf(course, id),
  })
  patchWorker(course, id, { measured: false })
  enter(course, id, { is: 'reviewing', effect, agent, aborting: null })
}

/** A reader whose program fails says nothing about the work; after a few tries it has given no verdict. */
const FAILURES = 3

export function afterOpinion(course: Course, id: WorkerId, reply: Reply): void {
  const { phase, seen, iteration } = workerOf(course, id)
  if (phase.is !== 'reviewing') return
  settleCall(course, id, reply)
  if (isStopping(course, id)) return next(course, id)
  const heard = hear(course, id, phase.agent, reply)
  if (workerOf(course, id).phase.is === 'finished') return
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'check',
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
  })
  enter(course, id, { is: 'checking', effect, heard })
}

/** What the call came to: its word, or none yet. */
function hear(course: Course, id: WorkerId, agent: string, reply: Reply): OpinionHeard {
  const again: OpinionHeard = { is: 'again', afterMs: 0, why: '' }
  if (reply.end === 'over-budget') return again
  if (reply.end === 'interrupted') {
    decide(course, 'retry', 'repeat', 'the second opinion was cut off and is asked for again')
    return again
  }
  const trouble = troubleIn(reply, { worked: false })
  if (trouble !== null && !isAttempt(trouble.remedy)) {
    setAside(course, id, { agent, order: reviewers(course, id) }, trouble)
    return again
  }
  answered(course, agent)
  const { held } = workerOf(course, id)
  if (reply.end === 'success' || held === null) return { is: 'opinion', opinion: readOpinion(reply) }
  const failures = held.failures + 1
  if (failures >= FAILURES) return { is: 'opinion', opinion: { is: 'none' } }
  patchWorker(course, id, { held: { ...held, failures } })
  const afterMs = backOff(failures, course.house.run.rules.retry)
  const why = `${agent}: ${reply.failure?.message ?? 'it gave no second opinion'}`
  decide(course, 'retry', 'wait', `${why}; trying again in ${span(afterMs)}`)
  return { is: 'again', afterMs, why }
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
export function opinionChecked(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const { seen, phase, held } = workerOf(course, id)
  if (phase.is !== 'checking' || held === null) return
  const moved = seen !== null && seen.tree !== snapshot.tree
  const { boxes, nextBox } = event
  lookedAfter(course, id, snapshot)
  patchWorker(course, id, { seen: seenNow(seen, event), measured: true, boxes, nextBox })
  if (isStopping(course, id)) return next(course, id)
  const { heard } = phase
  if (heard.is === 'again' && !moved)
    return heard.afterMs === 0 ? next(course, id) : waitFor(course, id, heard.afterMs, heard.why)
  const { unless } = held
  patchWorker(course, id, { held: null })
  if (moved || heard.is === 'again')
    return refuse(course, id, {
      why: 'the second opinion changed files, so it does not count',
      tell: 'A reviewer changed files; check the tree.',
      verdict: 'unproven',
    })
  const { opinion } = heard
  if (opinion.is === 'fail')
    return refuse(course, id, {
      why: `the second opinion says no: ${opinion.why}`,
      tell: `A reviewer says: ${opinion.why}`,
      verdict: 'failed',
      says: opinion.why,
    })
  if (opinion.is !== 'pass')
    return refuse(course, id, {
      why: 'the second opinion gave no verdict',
      tell: 'The reviewer gave no verdict.',
      verdict: 'unproven',
    })
  accept(course, id, { ...unless, why: `${unless.why}; a second agent agrees` })
}
