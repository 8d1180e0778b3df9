/**
 * What a run follows: the settings that decide, resolved once and stored in `run-started`. They change during a run only by
 * `ralph set`. What each is, and where it stands, is defined in `core/settings`; here is what no single setting has.
 */
import type { TierModels } from '../models/model-strategy.ts'
import type { Gate } from '../proof/evidence.ts'
import type { ConfiguredRules } from '../settings/rule-table.ts'

export interface Rules extends ConfiguredRules {
  agent: AgentRules
  loop: LoopRules
  proof: ProofRules
  gates: Gate[]
}

export interface AgentRules extends RuleGroup<'agent'> {
  /** Which account each agent's calls go to, where two may share one; absent: each has its own. */
  credentials?: Record<string, string>
  /** The model names of each agent; an agent that is not here uses its vendor's default. */
  models?: Record<string, TierModels>
  /** json: the status block alone decides; text: heuristics over the words as well. */
  output: 'json' | 'text'
  /** What its program is asked to write, where it can; absent: its stream of events. */
  format?: 'json' | 'text'
}

export interface LoopRules extends RuleGroup<'loop'> {
  /** The limit is what `--once` says, and no setting. */
  once?: boolean
}

export interface ProofRules extends RuleGroup<'proof'> {
  /** Before the first iteration, a gate that is green and ran 0 tests: told, or nothing begins. Absent: told. */
  noTests?: 'refuse'
}

type RuleGroup<Group extends keyof ConfiguredRules> = ConfiguredRules[Group]

export type QuotaRules = RuleGroup<'quota'>
export type BudgetRules = RuleGroup<'budget'>
export type BreakerRules = RuleGroup<'breaker'>
export type ExitRules = RuleGroup<'exit'>
export type RetryRules = RuleGroup<'retry'>

/** In place of a command: the clean room takes the tools of the working tree. */
export const NO_SETUP = 'none'

/** Every agent that a run may start, by name. */
export function agentNamesOf({ agent, proof }: Rules): string[] {
  return [...agent.order, ...(proof.reviewer === null ? [] : [proof.reviewer])]
}
