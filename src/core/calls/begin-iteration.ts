/** An admitted call that changes the project: it is counted, and its agent starts. */
import { iterationOfCall, startCall } from './call.ts'
import { conversationToResume } from './conversation.ts'
import type { WorkerId } from '../ids.ts'
import { describeBreaker } from '../admission/breaker.ts'
import { chooseModel, canHintModel } from './choose-model.ts'
import type { TierChoice } from '../models/model-strategy.ts'
import type { RunAgentEffect } from '../state/effect.ts'
import type { SteeringMessage, Worker } from '../state/state.ts'
import { recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'

/** What a stage wants of its call. */
export interface IterationRequest {
  /** What the call is about. */
  about: Pick<RunAgentEffect, 'task' | 'draft' | 'import'>
  openCheckboxes: number | null
  /** The tier of its model, where the stage decides it. */
  tier?: TierChoice
  /** Guidance from people that was sent with the call, until an agent has worked with it. */
  steering(steering: SteeringMessage[]): SteeringMessage[]
}

export function beginIteration(ctx: StepContext, id: WorkerId, wanted: IterationRequest): void {
  const { run } = ctx.state
  const worker = workerOf(ctx, id)
  const { phase } = worker
  if (phase.is !== 'admitting') return
  const { agent } = phase
  const iteration = iterationOfCall(ctx, id, 'work')
  const { effort, tools, permission, maxTurns, output, format } = run.rules.agent
  const model = chooseModel(ctx, id, agent, wanted.tier)
  const resume = conversationToResume(worker.conversation, run.rules.agent, agent, ctx.now.at)
  const effect = startCall(ctx, id, phase, {
    context: {
      iteration,
      openCheckboxes: wanted.openCheckboxes,
      breaker: describeBreaker(worker.breaker),
      previous: worker.previous,
      corrections: worker.corrections,
      steering: worker.steering.map((one) => one.text),
    },
    ...(canHintModel(run.rules, agent) ? { hints: true } : {}),
    ...carried(worker.steering.filter(({ told }) => told !== true)),
    ...wanted.about,
    how: { model, effort, tools, permission, maxTurns, output, ...(format === undefined ? {} : { format }) },
    resume,
    resumeUsage: resume === null ? null : (worker.conversation?.usage ?? null),
    previousLength: worker.lastLength,
  })
  for (const one of worker.steering)
    recordDecision(ctx, id, 'steer', 'apply', `sent to the agent in iteration ${iteration}: ${one.text}`)
  patchWorker(ctx, id, {
    iteration,
    author: agent,
    steering: wanted.steering(worker.steering),
  })
  enterPhase(ctx, id, { is: 'working', effect, agent, aborting: null })
}

/** The requests that this prompt answers; a request without a waiting sender has no number. */
function carried(steering: Worker['steering']): Pick<RunAgentEffect, 'steered' | 'answered'> {
  const steered = steering.flatMap(({ request }) => request ?? [])
  const answered = steering.flatMap(({ answers }) => answers ?? [])
  return { ...(steered.length === 0 ? {} : { steered }), ...(answered.length === 0 ? {} : { answered }) }
}
