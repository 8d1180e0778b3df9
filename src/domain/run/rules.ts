/**
 * What a run follows: the settings that decide, resolved once and stored in `run-started`. They change during a run only by
 * `ralph set`. Names, defaults and help of the settings live in `config/settings.ts`; here is only their shape.
 */
import type { AgentLimits } from '../call/agent.ts'
import type { Millis } from '../ids.ts'
import type { Gate } from '../proof/evidence.ts'

export interface Rules {
  agent: AgentRules
  loop: LoopRules
  quota: QuotaRules
  budget: BudgetRules
  breaker: BreakerRules
  exit: ExitRules
  retry: RetryRules
  proof: ProofRules
  gates: Gate[]
}

export interface AgentRules {
  /** Agents in the order in which they take over from each other; the first is the chosen one. */
  order: string[]
  /** Which account each agent's calls go to, where two may share one; absent: each has its own. */
  credentials?: Record<string, string>
  model: string | null
  effort: string | null
  tools: string[] | null
  permission: string | null
  /** Go on with the agent's conversation from iteration to iteration. */
  resume: boolean
  /** A conversation that was not used for this long is not resumed. */
  conversationMaxAgeMs: Millis
  maxTurns: number | null
  limits: AgentLimits
  /** json: the status block alone decides; text: heuristics over the words as well. */
  output: 'json' | 'text'
  /** What its program is asked to write, where it can; absent: its stream of events. */
  format?: 'json' | 'text'
}

export interface LoopRules {
  /** Text files, relative to the project. */
  prompt: string
  plan: string | null
  /** 0: no limit. */
  iterationsMax: number
  /** The limit is what `--once` says, and no setting. */
  once?: boolean
  pauseMs: Millis
  /** Who commits: only the agent, or Ralph after each iteration that changed something. */
  commit: 'agent' | 'iteration'
  /** A completion is refused while files are in no commit. Absent in records of earlier versions. */
  commitRequired?: boolean
  optionalSections: string[]
}

export interface QuotaRules {
  /** Per wall-clock hour; 0: no limit. */
  callsPerHour: number
  tokensPerHour: number
}

/** Null: no limit. */
export interface BudgetRules {
  usd: number | null
  tokens: number | null
  minutes: number | null
  /** Set aside for an iteration while nothing is known about their cost. */
  reserveUsd: number
}

export interface BreakerRules {
  noProgress: number
  sameError: number
  denials: number
  /** Percent by which output must fall to count as decline; only with no progress, twice in a row. */
  outputDecline: number
  halfOpenAt: number
  cooldownMs: Millis
  autoReset: boolean
  /** Wait out the cool-down inside the run instead of ending it. */
  wait: boolean
}

export interface ExitRules {
  testOnly: number
  doneSignals: number
  safety: number
  /** Explicit exit signals needed to end the run. Null: 1 with gates, 2 without. */
  confirm: number | null
  /** Open boxes refuse a completion. */
  plan: 'require' | 'ignore'
  denial: 'halt' | 'threshold' | 'continue'
}

export interface RetryRules {
  firstMs: Millis
  maxMs: Millis
  /** When a usage limit names no reset. */
  limitWaitMs: Millis
  /** How long an outage of every agent is waited out before the run is left for later. */
  outageMs: Millis
}

export interface ProofRules {
  /** Before the first iteration, a gate that is green and ran 0 tests: told, or nothing begins. Absent: told. */
  noTests?: 'refuse'
  required: boolean
  /** Refused completions in a row that end the run. */
  refusals: number
  /** Run the gates once before the first iteration, to know what was red already. */
  baseline: 'start' | 'off'
  /** How often a failed gate is run again; a pass after a failure needs a second pass. */
  reruns: number
  /** full: judged by trial in a clean room. quick: the gates in the working tree, which prove nothing. */
  level: 'full' | 'quick'
  /** Source folders (globs); empty: found. */
  work: string[]
  /** More globs of files that judge the work. */
  protect: string[]
  /** Globs of judging files that may change: tests only, or whatever they match. */
  mayChange: { tests: string[]; judge: string[] }
  /** Runs that the search for needed changes may take. */
  trials: number
  /** Ignored files that the room gets as they stood at the start. */
  copy: string[]
  /** Names of tests known to be flaky (globs): a gate that fails only by them counts as passed. */
  quarantine: string[]
  /** The command line that brings the tools into the clean room; null: found by the lock files, `none`: nothing is set up. */
  setup: string | null
  /** An agent that must agree, reading only; null: none. */
  opinion: string | null
}

/** In place of a command: the room takes the tools of the working tree. */
export const NO_SET_UP = 'none'

/** Every agent that a run may start, by name. */
export function agentsOf({ agent, proof }: Rules): string[] {
  return [...agent.order, ...(proof.opinion === null ? [] : [proof.opinion])]
}
