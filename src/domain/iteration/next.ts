/** The way to the next iteration: every limit is asked before an agent is started, the cheapest question first. */
import { reserve } from '../call/budget.ts'
import { callNumber, go, limitsOf, spentMs, wayTo } from '../call/call.ts'
import { askPerson, openQuestion, turnBegins } from '../draft/ask.ts'
import { draftAsked, draftWrites } from '../draft/draft-asked.ts'
import { clear, isAstray } from '../draft/clear.ts'
import { isUnseen, lookFirst, NO_TURN } from '../draft/take-paper.ts'
import { resumable } from '../call/conversation.ts'
import type { WorkerId } from '../ids.ts'
import { finish } from '../run/finish.ts'
import type { LoopRules } from '../run/rules.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { never } from '../machine.ts'
import type { Worker } from '../run/house.ts'
import type { RunAgent } from '../run/effect.ts'
import { orderOf, type Order } from '../worker/order.ts'
import { pause, stepAside } from '../worker/pause.ts'
import { taskAsked } from '../worker/task-asked.ts'
import { claim, dropTask } from '../worker/claim.ts'
import { waitUntil } from '../worker/wait.ts'
import { coolDown, describeBreaker } from './breaker.ts'
import { chooseModel, mayHint } from './choose-model.ts'
import { planComplete } from './exit.ts'

/** Begins the next iteration of a worker, or waits, pauses or ends. */
export function next(course: Course, id: WorkerId): void {
  const { run } = course.house
  const { rules } = run
  const worker = workerOf(course, id)
  if (worker.phase.is === 'finished') return
  // Also of a turn that failed or was stopped.
  if (isAstray(course, id) && clear(course, id, NO_TURN)) return
  const order = orderOf(course, id)
  if (order.is !== 'go') return stand(course, id, order)
  if (worker.job.is === 'none') return claim(course, id)
  if (isUnseen(course, id)) return lookFirst(course, id)
  // A completion that waits for its second opinion goes on from there, if the tree is still the one that was judged.
  if (worker.held !== null) return survey(course, id, 'before')
  // No limit and no breaker stands before what costs nothing: the plan is looked at once more, and its completion is proven.
  if (claimsByPlan(course, id)) return survey(course, id, 'before')
  const limit = limitReached(course, id)
  if (limit !== null) return finish(course, id, limit)
  const breaker = coolDown(worker.breaker, rules.breaker, course.now.at)
  if (breaker !== worker.breaker) {
    patchWorker(course, id, { breaker })
    const why = breaker.is === 'half-open' ? breaker.reason : 'cool-down over'
    decide(course, id, 'breaker', breaker.is, why)
  }
  if (breaker.is === 'open') {
    if (!rules.breaker.wait) {
      const { why, said = '', allow } = breaker
      return finish(course, id, {
        is: 'breaker',
        why: `the breaker is open: ${breaker.reason}`,
        cause: { is: 'stuck', why, said, ...(allow === undefined ? {} : { allow }) },
      })
    }
    return waitUntil(
      course,
      id,
      breaker.openedAt + rules.breaker.cooldownMs,
      `the breaker is open: ${breaker.reason}`,
    )
  }
  const question = openQuestion(course, id)
  if (question !== null) return askPerson(course, id, question)
  const way = wayTo(course, rules.agent.order)
  if (way.is === 'free' && worker.seen?.fresh !== true)
    return survey(course, id, worker.seen === null ? 'start' : 'before')
  go(course, id, 'work', way)
}

/** Nothing new is begun: the worker ends or stands still. */
function stand(course: Course, id: WorkerId, { is, why }: Exclude<Order, { is: 'go' }>): void {
  switch (is) {
    case 'stop':
      return finish(course, id, { is: course.house.run.stopAs, why })
    case 'pause':
      return pause(course, id, why)
    case 'leave': {
      // Whom a person paused stays so when the others go on.
      const { told } = workerOf(course, id)
      return told?.is === 'pause' ? pause(course, id, told.why) : stepAside(course, id)
    }
    case 'drop':
      return dropTask(course, id)
    default:
      return never(is)
  }
}

/** The plan alone says that all is done, and nobody has been told yet that it is not: no agent is needed to find out. */
export function claimsByPlan(course: Course, id: WorkerId): boolean {
  const { job, boxes, refusals, iteration, corrections, steering } = workerOf(course, id)
  if (job.is !== 'loop' || !planComplete(boxes) || refusals > 0) return false
  // Whoever said something, or did not accept the last run's completion, wants it heard.
  return steering.length === 0 && (iteration > 0 || corrections.length === 0)
}

/** Null: another iteration may begin. */
export function limitReached(
  course: Course,
  id: WorkerId,
): { is: 'iteration_limit' | 'cost_limit' | 'token_limit' | 'time_limit'; why: string } | null {
  const { run } = course.house
  const max = run.rules.loop.iterationsMax
  if (max > 0 && workerOf(course, id).counted >= max) {
    return {
      is: 'iteration_limit',
      why: iterationsWhy(run.rules.loop),
    }
  }
  const reservation = reserve(run.budget, run.rules.budget, spentMs(course))
  return reservation.ok ? null : { is: reservation.limit, why: reservation.why }
}

function iterationsWhy({ iterationsMax, once }: LoopRules): string {
  if (once === true) return 'one iteration was asked for (--once) and made'
  return `${iterationsMax} ${iterationsMax === 1 ? 'iteration was' : 'iterations were'} allowed and made`
}

export function survey(course: Course, id: WorkerId, why: 'start' | 'before'): void {
  const worker = workerOf(course, id)
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: why,
    iteration: worker.iteration + 1,
    since: worker.seen?.tree ?? null,
    sinceHead: worker.seen?.head ?? null,
    ...draftWrites(worker),
  })
  enter(course, id, { is: 'surveying', effect, for: why })
}

/** Admitted: the call is counted, the agent starts. */
export function beginWork(course: Course, id: WorkerId, agent: string): void {
  const { run } = course.house
  const worker = workerOf(course, id)
  const iteration = callNumber(course, id, 'work')
  const { effort, tools, permission, maxTurns, output, format } = run.rules.agent
  const model = chooseModel(course, id, agent)
  const resume = resumable(worker.conversation, run.rules.agent, agent, course.now.at)
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'work',
    context: {
      iteration,
      openBoxes: worker.job.is === 'loop' ? (worker.boxes?.open ?? null) : null,
      breaker: describeBreaker(worker.breaker),
      previous: worker.previous,
      corrections: worker.corrections,
      steering: worker.steering.map((one) => one.text),
    },
    ...(mayHint(run.rules, agent) ? { hints: true } : {}),
    ...carried(worker.steering.filter(({ told }) => told !== true)),
    ...taskAsked(worker),
    ...draftAsked(worker),
    prompt: run.rules.loop.prompt,
    how: {
      model,
      effort,
      tools,
      permission,
      maxTurns,
      output,
      ...(format === undefined ? {} : { format }),
    },
    resume,
    resumeUsage: resume === null ? null : (worker.conversation?.usage ?? null),
    previousLength: worker.lastLength,
    ...limitsOf(course, id),
  })
  for (const one of worker.steering)
    decide(course, id, 'steer', 'apply', `told the agent in iteration ${iteration}: ${one.text}`)
  turnBegins(course, id)
  // Corrections and what people said stay until an agent has worked with them: one that meets its usage limit at once has not. Who drafts is
  // told all of it again anyway.
  const steering =
    worker.job.is === 'draft' ? [] : worker.steering.map((one) => ({ ...one, told: true as const }))
  patchWorker(course, id, { iteration, author: agent, steering, measured: false })
  enter(course, id, { is: 'working', effect, agent, aborting: null })
}

/** Which requests the prompt answers; what nobody waits for has no number. */
function carried(steering: Worker['steering']): Pick<RunAgent, 'steered' | 'answered'> {
  const steered = steering.flatMap(({ request }) => request ?? [])
  const answered = steering.flatMap(({ answers }) => answers ?? [])
  return {
    ...(steered.length === 0 ? {} : { steered }),
    ...(answered.length === 0 ? {} : { answered }),
  }
}
