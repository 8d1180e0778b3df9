/** A second agent's word on a claim that holds so far: it can veto, never overrule a red gate. It reads only, and is asked last. */
import type { EventOf } from '../run/event.ts'
import type { WorkerId } from '../ids.ts'
import { readOpinion, type Opinion } from '../proof/opinion.ts'
import type { Reply } from '../reply/reply.ts'
import { leftInFlight, settle, wallWithin } from '../call/budget.ts'
import { ask, decide, enter, patchRun, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { causeIn, sentence, troubleIn } from '../call/failed.ts'
import { finish, type Ending } from '../run/finish.ts'
import { next } from '../iteration/next.ts'
import { provingOf, type Proving } from './proving.ts'
import { refuse } from './refuse.ts'
import { seenNow } from '../iteration/seen.ts'

/** Ends the run as it is to end, or asks the second agent first. */
export function lastWord(course: Course, id: WorkerId, proving: Proving, ending: Ending): void {
  const { opinion } = course.house.run.rules.proof
  const broken = opinion === null ? undefined : course.house.run.unusable[opinion]
  if (broken !== undefined) return finish(course, id, { is: 'agent_unusable', why: broken })
  if (opinion !== null) return askOpinion(course, id, { ...proving, ending }, opinion)
  accept(course, id, ending)
}

export function accept(course: Course, id: WorkerId, ending: Ending): void {
  decide(course, 'proof', ending.acceptance === undefined ? 'accept' : 'ask', ending.why)
  finish(course, id, ending)
}

function askOpinion(
  course: Course,
  id: WorkerId,
  { claim, proof, ending }: Proving & { ending: Ending },
  agent: string,
): void {
  const { run } = course.house
  const { iteration } = workerOf(course, id)
  decide(course, 'proof', 'opinion', `${agent} is asked for a second opinion`)
  const { limits, effort, output } = run.rules.agent
  const left = leftInFlight(run.budget, run.rules.budget, id)
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'opinion',
    context: { iteration, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    prompt: run.rules.loop.prompt,
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
    limits: { ...limits, wallMs: wallWithin(limits.wallMs, run.rules.budget, course.now.up - run.startedUp) },
    usdLeft: left.usd,
    tokensLeft: left.tokens,
  })
  patchWorker(course, id, { measured: false })
  enter(course, id, {
    is: 'proving',
    effect,
    claim,
    proof: { ...proof, at: { is: 'opinion', unless: ending } },
  })
}

export function afterOpinion(course: Course, id: WorkerId, reply: Reply): void {
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'opinion') return
  const { run } = course.house
  const bill = { usage: reply.usage, cutOff: reply.end === 'interrupted' }
  patchRun(course, { budget: settle(run.budget, run.rules.budget, id, bill) })
  if (run.is === 'stopping') return next(course, id)
  const trouble = troubleIn(reply, { worked: false })
  if (trouble?.remedy === 'elsewhere') {
    const agent = run.rules.proof.opinion ?? 'the second agent'
    return finish(course, id, {
      is: 'agent_unusable',
      why: sentence(agent, trouble.failure),
      cause: causeIn(agent, trouble.failure),
    })
  }
  const opinion: Opinion = reply.end === 'success' ? readOpinion(reply.lastWords) : { is: 'none' }
  const { seen, iteration } = workerOf(course, id)
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'after',
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
  })
  const { unless } = proving.proof.at
  enter(course, id, {
    is: 'proving',
    effect,
    claim: proving.claim,
    proof: { ...proving.proof, at: { is: 'opinion-check', unless, opinion } },
  })
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
export function opinionChecked(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'opinion-check') return
  const { seen } = workerOf(course, id)
  const moved = seen !== null && seen.tree !== snapshot.tree
  patchWorker(course, id, {
    seen: seenNow(seen, event),
    measured: true,
  })
  if (course.house.run.is === 'stopping') return next(course, id)
  const { opinion, unless } = proving.proof.at
  if (moved)
    return refuse(course, id, {
      why: 'the second opinion changed files, so it does not count',
      tell: 'A reviewer changed files; check the tree.',
      verdict: 'unproven',
    })
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
