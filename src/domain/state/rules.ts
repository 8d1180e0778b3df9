/**
 * What a run follows: the settings that decide, resolved once and stored in `run-started`. They change during a run only by
 * `ralph set`. What each is, and where it stands, is said in `domain/rules`; here is what no single setting says.
 */
import type { TierModels } from '../memory/strategy.ts'
import type { Gate } from '../proof/evidence.ts'
import type { RulesSaid } from '../rules/table.ts'

export interface Rules extends RulesSaid {
  agent: AgentRules
  loop: LoopRules
  proof: ProofRules
  gates: Gate[]
}

export interface AgentRules extends Said<'agent'> {
  /** Which account each agent's calls go to, where two may share one; absent: each has its own. */
  credentials?: Record<string, string>
  /** What each agent's models are called; who is not here works with its vendor's default. */
  models?: Record<string, TierModels>
  /** json: the status block alone decides; text: heuristics over the words as well. */
  output: 'json' | 'text'
  /** What its program is asked to write, where it can; absent: its stream of events. */
  format?: 'json' | 'text'
}

export interface LoopRules extends Said<'loop'> {
  /** The limit is what `--once` says, and no setting. */
  once?: boolean
}

export interface ProofRules extends Said<'proof'> {
  /** Before the first iteration, a gate that is green and ran 0 tests: told, or nothing begins. Absent: told. */
  noTests?: 'refuse'
}

type Said<Group extends keyof RulesSaid> = RulesSaid[Group]

export type QuotaRules = Said<'quota'>
export type BudgetRules = Said<'budget'>
export type BreakerRules = Said<'breaker'>
export type ExitRules = Said<'exit'>
export type RetryRules = Said<'retry'>

/** In place of a command: the room takes the tools of the working tree. */
export const NO_SET_UP = 'none'

/** Every agent that a run may start, by name. */
export function agentsOf({ agent, proof }: Rules): string[] {
  return [...agent.order, ...(proof.opinion === null ? [] : [proof.opinion])]
}
