/**
 * Which model a job's next visit gets. Three tiers stand for the models of every vendor; what they are called is said by the settings or by the
 * agent's driver. Signals are what this run's own iterations came to, and never words in old notes; what the agent itself asks for wins for one
 * visit, except over a model that the user chose for all.
 */
import { assertNever } from '../assert-never.ts'

export const TIERS = ['light', 'medium', 'strong'] as const

export type Tier = (typeof TIERS)[number]

/** The names of an agent's models; null: whichever its vendor takes by itself. */
export type TierModels = Record<Tier, string | null>

/** Of an agent whose models nobody named. */
export const NO_TIER_MODELS: TierModels = { light: null, medium: null, strong: null }

/** What the settings call them: for one agent, and for all that do not say it themselves. */
export interface ModelNameSettings {
  models: Readonly<Record<string, Partial<TierModels>>>
  values: Readonly<Record<`models.${Tier}`, string | null>>
}

/** What its own table says, then the settings, then its driver. Who has no name for any is not in it. */
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

/** `fixed`: one model for all, as the user says; the others choose anew for each visit. */
export type ModelStrategy = (typeof MODEL_STRATEGIES)[number]

/** How a job went so far. Calls that never came to work (limits, outages, cut off) are no part of it. */
export interface AttemptStats {
  /** Iterations that were made for it. */
  visits: number
  /** Those that came to nothing: the agent failed or gave up, or what it called done was refused. */
  failed: number
  /** The last one is among them. */
  failing: boolean
  /** Once the agent said that it cannot, or the same trouble came back. */
  stuck: boolean
}

export const NO_ATTEMPTS: AttemptStats = { visits: 0, failed: 0, failing: false, stuck: false }

/** A visit that came to nothing, and may tell more than that. */
export function withFailedAttempt(tries: AttemptStats, { stuck }: { stuck: boolean }): AttemptStats {
  return { ...tries, failed: tries.failed + 1, failing: true, stuck: tries.stuck || stuck }
}

/** Jobs in a row without a failed visit after which cheaper models are trusted with the next. */
const SMOOTH = 3

/** `smoothJobs`: jobs done in a row without one failed visit; in a plain loop iterations that got further. */
export interface JobHistory {
  tries: AttemptStats
  smoothJobs: number
}

export interface TierChoice {
  tier: Tier
  /** One clause. */
  why: string
}

/** Fixed chooses nothing. */
export function chooseTier(strategy: Exclude<ModelStrategy, 'fixed'>, { tries, smoothJobs }: JobHistory): TierChoice {
  switch (strategy) {
    case 'cost-optimized':
      if (tries.failing) return { tier: 'strong', why: 'the visit before came to nothing' }
      if (smoothJobs >= SMOOTH) return { tier: 'light', why: `the last ${smoothJobs} went without a failure` }
      return { tier: 'medium', why: 'nothing speaks for another one' }
    case 'escalate':
      // Neither count nor word is ever taken back within a job: it only rises.
      if (tries.stuck) return { tier: 'strong', why: 'the job is stuck' }
      if (tries.failed >= 2) return { tier: 'strong', why: `${tries.failed} visits of this job came to nothing` }
      if (tries.failed === 1) return { tier: 'medium', why: 'a visit of this job came to nothing' }
      return { tier: 'light', why: 'no visit of this job has failed' }
    case 'plan-then-execute':
      if (tries.visits === 0) return { tier: 'strong', why: 'the first visit of a job plans' }
      return { tier: 'medium', why: 'what the first visit planned is carried out' }
    default:
      return assertNever(strategy)
  }
}

/** The tiers by the names of a vendor that every agent has heard of. */
const WELL_KNOWN: Readonly<Record<string, Tier>> = { haiku: 'light', sonnet: 'medium', opus: 'strong' }

/** The tier that an agent means; null: none of these. Names of models count where a tier has them: no agent chooses from all there are. */
export function parseTierHint(said: string, models: TierModels): Tier | null {
  const word = said.trim().toLowerCase()
  const named = TIERS.find((tier) => tier === word || models[tier]?.toLowerCase() === word)
  return named ?? (Object.hasOwn(WELL_KNOWN, word) ? (WELL_KNOWN[word] ?? null) : null)
}

/** Whether an agent's word about the next model would change anything: nobody fixed it, and not all tiers are the same. */
export function isTierHintUseful(strategy: ModelStrategy, models: TierModels): boolean {
  return strategy !== 'fixed' && new Set(TIERS.map((tier) => models[tier])).size > 1
}

/** What the agent is told whose hint means nothing. */
export function tierHintProblem(said: string): string {
  return `${JSON.stringify(said.slice(0, 80))} in <next-model> is no model to choose from: say light, medium or strong.`
}

/** How a choice is told: `strong (opus)`. */
export function describeTier(tier: Tier, model: string | null): string {
  return `${tier} (${describeModel(model)})`
}

export function describeModel(model: string | null): string {
  return model ?? "the vendor's default model"
}
