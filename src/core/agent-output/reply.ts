/** What an iteration amounted to, as recorded: small, bounded, and complete enough to decide from. */
import type { FailureKind, LimitKind, Usage } from '../calls/agent-io.ts'
import type { Instant, Millis } from '../ids.ts'
import type { AgentReport } from './agent-report.ts'

/** How the agent process ended, in our words. Exit codes are a hint; the agent's own final event is the truth. */
export type ReplyEnd =
  /** The final event arrived and says success (plain agents: exit 0). */
  | 'success'
  | 'failed'
  /** The wall limit fired. With measured change this is analysed like a success. */
  | 'timed-out'
  /** No output for the idle limit. */
  | 'silent'
  /** We ended it: a human's stop, or the budget passed in flight. */
  | 'stopped'
  | 'over-budget'
  /** Ralph itself was cut off while it ran. */
  | 'interrupted'

export interface ReplyFailure {
  kind: FailureKind
  message: string
  /** For limits: when the vendor says it opens again. */
  resetsAt?: Instant
  /** What a person can do about it, where the vendor has a way of its own. */
  fix?: string
  /** The same as a command to type, where there is one. */
  command?: string
}

/** The eight keys of the status block, as far as they were given; unreadable values are absent. */
export interface StatusBlock {
  status?: 'IN_PROGRESS' | 'COMPLETE' | 'BLOCKED'
  tasksCompleted?: number
  filesModified?: number
  tests?: 'PASSING' | 'FAILING' | 'NOT_RUN'
  workType?: string
  exitSignal?: boolean
  recommendation?: string
}

/** What the agent's words tell us. Hints, all of them: only gates prove. */
export interface ReplySignals {
  /** `block`: a status block was found; `words`: heuristics over plain text; `none`: nothing to go by. */
  from: 'block' | 'words' | 'none'
  block: StatusBlock | null
  /** The explicit EXIT_SIGNAL, or null when there was none. */
  exitSignal: boolean | null
  /** The reply claims that all work is complete. */
  complete: boolean
  testOnly: boolean
  noWork: boolean
  /** Lines that read as questions to a human who is not there. */
  questions: number
  /** Distinct error lines after the two-stage filter, shortened; for the stuck test and the breaker. */
  errors: string[]
  /** Heuristic score in text mode, 0 otherwise. */
  confidence: number
  /** One line, at most 200 characters, for the next prompt and the screens. */
  summary: string
  /** Why each field is what it is, by field name; printed by `ralph inspect reply`. */
  because: Record<string, string>
}

export interface Denial {
  tool: string
  command?: string
}

/** What a person does so that denied tools are allowed from now on. */
export interface AllowAdvice {
  /** A sentence. */
  say: string
  /** Further arguments of `ralph loop` that allow them; none: that is not ours to allow. */
  args: string[]
}

export interface Reply {
  end: ReplyEnd
  failure: ReplyFailure | null
  /** A limit the agent ran into, even if it went on by itself afterwards. */
  limit: LimitKind | null
  signals: ReplySignals
  /** By tags, and by calls of our tools. */
  told: AgentReport
  denials: Denial[]
  /** How a person lets all of them pass; absent: nothing was denied. */
  allow?: AllowAdvice
  /** Null: the vendor tells nothing, which is not zero. */
  usage: Usage | null
  /** Totals of the whole conversation where the vendor only gives those; the next iteration subtracts them. */
  conversationUsage: Usage | null
  conversation: string | null
  model: string | null
  tools: number
  /** Characters of the agent's own words; feeds the output-decline rule. */
  textLength: number
  /** The end of the agent's final message, at most 2,000 characters. */
  lastMessage: string
  remarks: number
  durationMs: Millis
  log: { path: string; bytes: number }
}
