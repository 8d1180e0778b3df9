/**
 * The request to an agent and the events it sends back, independent of the vendor. A driver turns a vendor's lines into
 * these events; only `agents/` knows a vendor's flags and JSON fields.
 * Unknown values (cost, reset time) are absent, never zero.
 */
import type { Instant, Millis } from '../ids.ts'
import type { JsonReply } from '../agent-output/json-reply.ts'

export type AgentEvent =
  | { type: 'started'; conversation: string | null; model?: string; version?: string }
  /** `delta`: continues the text before it; otherwise a separate text. `message`: the message it belongs to, if the vendor reports it. */
  | { type: 'text'; text: string; delta: boolean; message?: string }
  | { type: 'thought'; text: string }
  /** `input` is one line for a person (a command, a path); `paths` are the files the call names. */
  | { type: 'tool'; id: string | null; name: string; input: string; paths: string[] }
  | { type: 'tool-ended'; id: string | null; ok: boolean; output: string }
  | ({ type: 'usage' } & UsageReport)
  | { type: 'limited'; kind: LimitKind; message: string; resetsAt?: Instant }
  /** `call`: the tool call that was denied, if the vendor reports nothing else about it. */
  | { type: 'denied'; tool: string; command?: string; call?: string }
  | { type: 'failed'; kind: FailureKind; message: string }
  /** The agent's own final event. `text` is its final message if the vendor repeats it there; `wrapped` is what the document says
   *  that the message came in: the status in keys of its own, and how many errors it counts. */
  | {
      type: 'ended'
      ok: boolean
      reason: string
      text?: string
      wrapped?: Pick<JsonReply, 'keys' | 'errors'>
    }
  /** A line that no rule parsed, or a vendor's warning: saved, never thrown, never dropped. */
  | { type: 'remark'; text: string }

/** Tokens and money; a field that the vendor does not report is absent. */
export interface Usage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  usd?: number
  /** The vendor reports only tokens: `usd` is estimated from public list prices. */
  estimated?: true
}

/** The usage that a vendor reports. `model`: the model that used it, if reported. */
export type UsageReport = { usage: Usage; model?: string } & (
  | {
      /** `add`: on top of what came before; `total`: of this iteration so far; `conversation`: of the whole conversation so far. */
      counts: 'add' | 'total' | 'conversation'
    }
  /** Of one message that the model is still writing. It may be reported again with higher values; the vendor's sums come later. */
  | { counts: 'message'; message: string }
)

/** What a reset ends: an allowance that is used up, or calls that came too fast. */
export type LimitKind = 'usage-limit' | 'rate-limit'

/** Why a call failed. `admission/retry-policy.ts` says what follows each. */
export type FailureKind =
  | LimitKind
  /** The money is used up: a person must pay or raise a limit. */
  | 'balance'
  | 'authentication'
  /** Of the account or the organisation; a tool that is not allowed is a denial. */
  | 'permission'
  /** There is no such model, or not for this account. */
  | 'model'
  | 'context-overflow'
  | 'bad-conversation'
  | 'bad-request'
  | 'network'
  | 'server'
  | 'crash'
  | 'killed'
  | 'timeout'
  | 'missing'
  | 'unknown'

/** One iteration asked of a driver. */
export interface AgentRequest {
  cwd: string
  prompt: string
  /** Extra system text: a native flag where there is one, else prepended to the prompt. */
  system?: string
  model?: string
  effort?: string
  /** Tools the agent may use without asking. */
  tools?: string[]
  readOnly?: boolean
  /** An ACP agent may have its commands run by us. */
  terminal?: boolean
  /** `list`, `edits`, `bypass` or `ask`, or a vendor's own mode (claude: `acceptEdits` …); see `agents/tool-permission.ts`. */
  permission?: string
  /** Conversation to go on with. */
  resume?: string
  /** Folders outside `cwd` that the agent may write (codex: the repository's `.git`). */
  extraDirs: string[]
  maxTurns?: number
  /** What to write instead of its stream of events: the whole answer, at its end. */
  format?: 'json' | 'text'
  /** The program to start instead of the driver's own, with leading arguments (`["npx", "claude"]`). */
  program?: string[]
  /** Added to the environment that the driver builds. */
  env: Record<string, string>
  /** The MCP server through which the agent reports to us (`ralph mcp`). The agent's environment has its variables too, so that no
   *  command line shows them. */
  mcp?: McpServer
  /** A private folder of this iteration where a driver may let the vendor write a side file (usage, last message). */
  scratch: string
}

export interface McpServer {
  command: string
  args: string[]
  env: Record<string, string>
}

/** What to start. The prompt goes to stdin, which is closed after it. */
export interface Invocation {
  argv: string[]
  env: Record<string, string>
  stdin: string
  /** A file the vendor leaves behind with its usage, read after the end by `readUsageFile`. */
  usageFile?: string
}

export type SupportLevel = 'yes' | 'no' | 'partly'

/** Shown by `ralph agents`, checked at start: a flag that the agent does not support is refused. */
export interface Capabilities {
  tools: SupportLevel
  resume: SupportLevel
  streaming: SupportLevel
  tokens: SupportLevel
  cost: SupportLevel
  readOnly: SupportLevel
  model: SupportLevel
  effort: SupportLevel
  system: SupportLevel
  maxTurns: SupportLevel
  /** It accepts `ralph mcp` as a server, and lets its model call those tools. */
  mcp: SupportLevel
}

/** Time limits that `converse` enforces; 0 switches one off. */
export interface AgentTimeLimits {
  /** No output at all for this long. */
  idleMs: Millis
  /** Wall limit of one iteration. */
  wallMs: Millis
  /** After the agent's own final event, until its pipe must be closed. */
  completionGraceMs: Millis
  /** Between asking it to stop and killing its group. */
  stopGraceMs: Millis
  /** Until an ACP agent has opened its session. */
  handshakeMs: Millis
}

/** An agent that the settings describe (`[agents.NAME]`): any program that reads a prompt from stdin. */
export interface CustomAgent {
  command: string[]
  output: 'text' | 'jsonl'
  /** For jsonl: our name of a field → its place in the agent's line, as a dotted path. */
  fields: Record<string, string>
  env: Record<string, string>
}

/** Agents of a run as files of the project describe them. What the user says elsewhere may hold keys and is no part of a record. */
export interface ProjectAgents {
  agents: Record<string, CustomAgent>
  /** Programs to start instead of an agent's own, by the agent's name. */
  programs: Record<string, string[]>
}
