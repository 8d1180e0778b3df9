/** Chooses the model of a worker's next attempt, and records the reason. */
import type { WorkerId } from '../ids.ts'
import {
  withFailedAttempt,
  type FailedAttempt,
  isTierHintUseful,
  invalidTierHintText,
  NO_ATTEMPTS,
  parseTierHint,
  describeModel,
  describeTier,
  chooseTier,
  NO_TIER_MODELS,
  type ModelStrategy,
  type Tier,
  type TierChoice,
  type TierModels,
} from '../models/model-strategy.ts'
import type { Rules } from '../state/rules.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import type { IterationResult } from './iteration-result.ts'

/** Null: the vendor's default. */
export function chooseModel(ctx: StepContext, id: WorkerId, agent: string, wanted?: TierChoice): string | null {
  const { rules } = ctx.state.run
  const { nextModel: hint, tier: before, tries, smoothJobs } = workerOf(ctx, id)
  const { strategy } = rules.model
  if (strategy === 'fixed') {
    const { model } = rules.agent
    const named = model === null ? '' : ` (${model})`
    if (hint !== null)
      recordDecision(ctx, id, 'model', 'keep', `the agent asked for ${hint}, but the model is fixed${named}`)
    if (before !== null) patchWorker(ctx, id, { tier: null })
    return model
  }
  const own = wanted ?? chooseTier(strategy, { tries, smoothJobs })
  const chosen = hint === null ? own : { tier: hint, why: asked(hint, own) }
  const model = modelsOf(rules, agent)[chosen.tier]
  const changes = before !== null && before !== chosen.tier
  recordDecision(ctx, id, 'model', changes ? 'change' : 'choose', sayChoice(strategy, chosen, model))
  patchWorker(ctx, id, { tier: chosen.tier })
  return model
}

function asked(hint: Tier, own: TierChoice): string {
  return hint === own.tier ? `${own.why}, and the agent asked for it` : `the agent asked for it instead of ${own.tier}`
}

function modelsOf({ agent }: Rules, name: string): TierModels {
  return agent.models?.[name] ?? NO_TIER_MODELS
}

/** Whether the prompt tells this agent that it can ask for a model. */
export function canHintModel(rules: Rules, agent: string): boolean {
  return isTierHintUseful(rules.model.strategy, modelsOf(rules, agent))
}

/** The model of a job's first attempt, as far as it is known before a run. */
export function initialModel(rules: Rules, agent: string): { model: string | null; why: string } {
  const { strategy } = rules.model
  if (strategy === 'fixed') {
    const { model } = rules.agent
    return { model, why: describeModel(model) }
  }
  const { tier, why } = chooseTier(strategy, { tries: NO_ATTEMPTS, smoothJobs: 0 })
  const model = modelsOf(rules, agent)[tier]
  return { model, why: sayChoice(strategy, { tier, why }, model) }
}

function sayChoice(strategy: ModelStrategy, { tier, why }: TierChoice, model: string | null): string {
  return `${strategy}: ${describeTier(tier, model)}, because ${why}`
}

/** An iteration ended, with any result. The tier that its agent asks for holds for the next one only. */
export function recordAttempt(ctx: StepContext, id: WorkerId, { agent, reply }: IterationResult): void {
  const { tries } = workerOf(ctx, id)
  const said = reply.told.nextModel
  patchWorker(ctx, id, {
    tries: { ...tries, visits: tries.visits + 1, failing: false },
    nextModel: said === null ? null : parseTierHint(said, modelsOf(ctx.state.run.rules, agent)),
  })
}

/** A correction for the prompt if the agent asked for a tier that does not exist; none where its request would not count anyway. */
export function modelHintCorrections(
  { state }: StepContext,
  { agent, reply }: Pick<IterationResult, 'agent' | 'reply'>,
): string[] {
  const { rules } = state.run
  const said = reply.told.nextModel
  if (said === null || !canHintModel(rules, agent)) return []
  return parseTierHint(said, modelsOf(rules, agent)) === null ? [invalidTierHintText(said)] : []
}

/** The attempt failed, or its claim was rejected. */
export function recordFailedAttempt(ctx: StepContext, id: WorkerId, how: FailedAttempt): void {
  const { tries } = workerOf(ctx, id)
  patchWorker(ctx, id, { tries: withFailedAttempt(tries, how), smoothJobs: 0 })
}

/** For a loop, which has a single job. */
export function recordSmoothAttempt(ctx: StepContext, id: WorkerId): void {
  patchWorker(ctx, id, { smoothJobs: workerOf(ctx, id).smoothJobs + 1 })
}
