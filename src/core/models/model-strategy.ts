/**
 * Chooses the model for a job's next iteration. Three tiers represent the models of every vendor; the settings or the agent's driver give
 * their names. The choice depends on the results of this run's own iterations, never on old notes. A model that the agent asks for is used
 * for one iteration, unless the user chose one model for all.
 */
import { assertNever } from '../assert-never.ts'

export const TIERS = ['light', 'medium', 'strong'] as const

export type Tier = (typeof TIERS)[number]

/** The names of an agent's models; null: the vendor's default. */
export type TierModels = Record<Tier, string | null>

/** For an agent without model names. */
export const NO_TIER_MODELS: TierModels = { light: null, medium: null, strong: null }

/** The model names in the settings: for one agent, and for all other agents. */
export interface ModelNameSettings {
  models: Readonly<Record<string, Partial<TierModels>>>
  values: Readonly<Record<`models.${Tier}`, string | null>>
}

/** The agent's own table comes first, then the settings, then its driver. Agents without any name are left out. */
export function tierModelsOf(
  agents: readonly { name: string; models?: TierModels }[],
  { models, values }: ModelNameSettings,
): Record<string, TierModels> {
  const all = agents.map(({ name, models: own }): [string, TierModels] => {
    const nameOf = (tier: Tier): string | null =>
      models[name]?.[tier] ?? values[`models.${tier}`] ?? own?.[tier] ?? null
    return [name, { light: nameOf('light'), medium: nameOf('medium'), strong: nameOf('strong') }]
  })
  return Object.fromEntries(all.filter(([, named]) => TIERS.some((tier) => named[tier] !== null)))
}

export const MODEL_STRATEGIES = ['fixed', 'cost-optimized', 'escalate', 'plan-then-execute'] as const

/** `fixed`: the user's model for all iterations; the others choose for each iteration. */
export type ModelStrategy = (typeof MODEL_STRATEGIES)[number]

/** How a job went so far. Calls that did no work (limits, outages, interruptions) do not count. */
export interface AttemptStats {
  /** Iterations on the job. */
  visits: number
  /** Failed iterations: the agent failed or gave up, or its completion was rejected. */
  failed: number
  /** The last iteration failed. */
  failing: boolean
  /** The agent once gave up, or the same problem returned. */
  stuck: boolean
  /** How often the agent gave up. */
  giveUps: number
}

export const NO_ATTEMPTS: AttemptStats = { visits: 0, failed: 0, failing: false, stuck: false, giveUps: 0 }

export interface FailedAttempt {
  stuck: boolean
  hasGivenUp?: boolean
}

/** Counts a failed iteration. */
export function withFailedAttempt(tries: AttemptStats, { stuck, hasGivenUp = false }: FailedAttempt): AttemptStats {
  return {
    ...tries,
    failed: tries.failed + 1,
    failing: true,
    stuck: tries.stuck || stuck || hasGivenUp,
    giveUps: tries.giveUps + (hasGivenUp ? 1 : 0),
  }
}

/** After this many jobs in a row without a failed iteration, the next gets a cheaper model. */
const SMOOTH = 3

/** `smoothJobs`: jobs done in a row without a failed iteration; in a plain loop, iterations that made progress. */
export interface JobHistory {
  tries: AttemptStats
  smoothJobs: number
}

export interface TierChoice {
  tier: Tier
  /** One clause. */
  why: string
}

/** The strategy *fixed* makes no choice. */
export function chooseTier(strategy: Exclude<ModelStrategy, 'fixed'>, { tries, smoothJobs }: JobHistory): TierChoice {
  switch (strategy) {
    case 'cost-optimized':
      if (tries.failing) return { tier: 'strong', why: 'the previous attempt failed' }
      if (smoothJobs >= SMOOTH) return { tier: 'light', why: `the last ${smoothJobs} attempts succeeded` }
      return { tier: 'medium', why: 'that is the default' }
    case 'escalate':
      // Neither value ever falls within a job, so the tier only rises.
      if (tries.stuck) return { tier: 'strong', why: 'the work is stuck' }
      if (tries.failed >= 2) return { tier: 'strong', why: `${tries.failed} attempts failed` }
      if (tries.failed === 1) return { tier: 'medium', why: 'one attempt failed' }
      return { tier: 'light', why: 'no attempt has failed yet' }
    case 'plan-then-execute':
      if (tries.visits === 0) return { tier: 'strong', why: 'the first attempt plans' }
      return { tier: 'medium', why: 'later attempts carry out the plan' }
    default:
      return assertNever(strategy)
  }
}

/** Well-known model names of one vendor, which every agent knows. */
const WELL_KNOWN: Readonly<Record<string, Tier>> = { haiku: 'light', sonnet: 'medium', opus: 'strong' }

/** The tier that an agent asks for; null: unknown. A model name counts only if it belongs to a tier: agents cannot choose other models. */
export function parseTierHint(said: string, models: TierModels): Tier | null {
  const word = said.trim().toLowerCase()
  const named = TIERS.find((tier) => tier === word || models[tier]?.toLowerCase() === word)
  return named ?? (Object.hasOwn(WELL_KNOWN, word) ? (WELL_KNOWN[word] ?? null) : null)
}

/** Whether an agent's request for a model has an effect: the strategy is not fixed, and the tiers differ. */
export function isTierHintUseful(strategy: ModelStrategy, models: TierModels): boolean {
  return strategy !== 'fixed' && new Set(TIERS.map((tier) => models[tier])).size > 1
}

/** The text for an agent whose hint is invalid. */
export function invalidTierHintText(said: string): string {
  return `${JSON.stringify(said.slice(0, 80))} in <next-model> is not a model you can choose: use light, medium or strong.`
}

/** A choice as text: `strong (opus)`. */
export function describeTier(tier: Tier, model: string | null): string {
  return `${tier} (${describeModel(model)})`
}

export function describeModel(model: string | null): string {
  return model ?? "the vendor's default model"
}
