/** What an iteration amounted to, as recorded: small, bounded, and complete enough to decide from. */
import type { FailureKind, LimitKind, Usage } from '../calls/agent-io.ts'
import type { Instant, Millis } from '../ids.ts'
import type { AgentReport } from './agent-report.ts'

/** How the agent process ended. Exit codes are a hint; the agent's own final event decides. */
export type ReplyEnd =
  /** The final event arrived and says success (plain agents: exit 0). */
  | 'success'
  | 'failed'
  /** The wall limit fired. With measured change this is analysed like a success. */
  | 'timed-out'
  /** No output for the idle limit. */
  | 'silent'
  /** Ralph ended it: a person stopped the run, or the call went over the budget. */
  | 'stopped'
  | 'over-budget'
  /** Ralph itself was killed while the agent ran. */
  | 'interrupted'

export interface ReplyFailure {
  kind: FailureKind
  message: string
  /** For limits: the reset time that the vendor announced. */
  resetsAt?: Instant
  /** What a person can do about it, where the vendor has a fix. */
  fix?: string
  /** The same as a command to type, where there is one. */
  command?: string
}

/** The keys of the status block that the agent gave; unreadable values are absent. */
export interface StatusBlock {
  status?: 'IN_PROGRESS' | 'COMPLETE' | 'BLOCKED'
  tasksCompleted?: number
  filesModified?: number
  tests?: 'PASSING' | 'FAILING' | 'NOT_RUN'
  workType?: string
  exitSignal?: boolean
  recommendation?: string
}

/** The signals in the agent's text. All of them are hints: only gates prove. */
export interface ReplySignals {
  /** `block`: a status block was found; `words`: heuristics over plain text; `none`: neither. */
  from: 'block' | 'words' | 'none'
  block: StatusBlock | null
  /** The explicit EXIT_SIGNAL, or null when there was none. */
  exitSignal: boolean | null
  /** The reply claims that all work is complete. */
  complete: boolean
  testOnly: boolean
  noWork: boolean
  /** Number of lines that read as questions to a person. */
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

/** How a person allows denied tools from now on. */
export interface AllowAdvice {
  /** A sentence. */
  say: string
  /** Further arguments of `ralph loop` that allow them; empty: Ralph cannot allow them. */
  args: string[]
}

export interface Reply {
  end: ReplyEnd
  failure: ReplyFailure | null
  /** A limit the agent hit, even if it continued by itself afterwards. */
  limit: LimitKind | null
  signals: ReplySignals
  /** What the agent reported by tags and by calls of Ralph's tools. */
  told: AgentReport
  denials: Denial[]
  /** How a person allows all of them; absent: nothing was denied. */
  allow?: AllowAdvice
  /** Null: the vendor reports no usage, which is not zero. */
  usage: Usage | null
  /** Totals of the whole conversation, for vendors that report only those; the next iteration subtracts them. */
  conversationUsage: Usage | null
  conversation: string | null
  model: string | null
  tools: number
  /** Characters of the agent's own text; feeds the output-decline rule. */
  textLength: number
  /** The end of the agent's final message, at most 2,000 characters. */
  lastMessage: string
  remarks: number
  durationMs: Millis
  log: { path: string; bytes: number }
}
