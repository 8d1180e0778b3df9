/**
 * What a vendor's output format has to provide. A dialect is a set of pure functions from a moment of the turn to the text that the
 * vendor's program prints for it; the player decides which moments there are.
 */
import { assertNever } from '../src/core/assert-never.ts'
import type { Usage } from '../src/core/calls/agent-io.ts'
import type { Instant } from '../src/core/ids.ts'
import type { Limit } from './scenario.ts'

export interface Dialect {
  /** What `--version` prints. */
  version: string
  /** A fresh conversation id in the vendor's form. */
  conversation(uuid: string): string
  /** What the vendor prints on stderr at each start. */
  greeting: string
  begin(turnState: TurnState): string
  say(turnState: TurnState, text: string): string
  think(turnState: TurnState, text: string): string
  /** The begin and the end of a tool call. */
  call(turnState: TurnState, call: ToolCall): string
  answer(turnState: TurnState, call: ToolCall, answer: ToolOutput): string
  /** A tool call that the vendor's permission rules denied, from begin to end. */
  deny(turnState: TurnState, call: ToolCall): string
  /** The vendor gives up: its last output and its exit code. */
  fail(turnState: TurnState, refusal: LimitRefusal): { stdout: string; stderr: string; exit: number }
  /** The final event. */
  end(turnState: TurnState): string
  /** The dialect for an output format; absent: always the same. */
  asked?(format: string): Dialect
}

/** The state of the turn, which dialects read. */
export interface TurnState {
  conversation: string
  model: string | null
  cwd: string
  prompt: string
  /** The usage of this turn. */
  usage: Usage
  /** The usage of each of its messages. */
  messageUsage: Usage
  /** The usage of the whole conversation, including this turn: what codex reports. */
  conversationUsage: Usage
  lastText: string
  /** The number of calls so far, including denied ones. */
  calls: number
  denied: ToolCall[]
  startedAt: Instant
  now(): Instant
  uuid(): string
}

export interface ToolCall {
  id: string
  work: ToolAction
}

export type ToolAction =
  | { is: 'write'; path: string; content: string; existed: boolean }
  | { is: 'edit'; path: string; find: string; with: string }
  | { is: 'read'; path: string }
  | { is: 'shell'; command: string }
  /** A call with a tool name from the scenario. */
  | { is: 'other'; name: string; input: Record<string, unknown> }

export interface ToolOutput {
  ok: boolean
  output: string
  /** Exit code of a shell command. */
  exit: number | null
}

export interface LimitRefusal {
  kind: Limit['kind']
  /** The scenario's own text; null: the vendor's usual one. */
  message: string | null
  resetsAt: Instant | null
}

/** One line of JSON, as all vendors but the plain ones write. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** A vendor's names for the four common tools. */
export interface ToolNames {
  write: string
  edit: string
  read: string
  shell: string
}

export function toolNameOf(work: ToolAction, names: ToolNames): string {
  return work.is === 'other' ? work.name : names[work.is]
}

/** A vendor's names for the fields of the common tools; `edit`: what it adds to an edit. */
interface ToolKeys {
  path: string
  content: string
  find: string
  with: string
  edit?: Record<string, unknown>
}

export function toolInputOf(work: ToolAction, keys: ToolKeys): Record<string, unknown> {
  switch (work.is) {
    case 'write':
      return { [keys.path]: work.path, [keys.content]: work.content }
    case 'edit':
      return { [keys.path]: work.path, [keys.find]: work.find, [keys.with]: work.with, ...keys.edit }
    case 'read':
      return { [keys.path]: work.path }
    case 'shell':
      return { command: work.command, description: 'scripted command' }
    case 'other':
      return work.input
    default:
      return assertNever(work)
  }
}

/** The HTTP status of each refusal that comes over HTTP. */
export const HTTP_STATUS: Partial<Record<Limit['kind'], number>> = {
  'usage-limit': 429,
  'rate-limit': 429,
  balance: 429,
  auth: 401,
  model: 404,
  overload: 529,
}

/** When to retry, as the vendors' messages say it; empty if waiting does not help or the time is unknown. */
export function retryTimeText(turnState: TurnState, refusal: LimitRefusal): string {
  const waits = refusal.kind === 'usage-limit' || refusal.kind === 'rate-limit'
  if (refusal.resetsAt === null || !waits) return ''
  return ` Try again in ${inWords(refusal.resetsAt - turnState.now())}.`
}

/** `2 hours 5 minutes`, rounded up to a whole second so that no retry comes too early. */
function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const
  return parts
    .filter(([many]) => many > 0)
    .map(([many, unit]) => `${many} ${unit}${many === 1 ? '' : 's'}`)
    .join(' ')
}
