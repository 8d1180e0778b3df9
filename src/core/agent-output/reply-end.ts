/**
 * How an iteration ended. The agent's own final event is the truth where there is one; exit codes are a hint: agents exit 0 on a
 * signal and non-zero after a good reply.
 */
import { oneLine } from '../text/sanitize.ts'
import { assertNever } from '../assert-never.ts'
import type { Millis } from '../ids.ts'
import type { ReplyEnd, ReplyFailure } from './reply.ts'

/** What is known after the agent's process has ended. */
export interface ProcessEnd {
  /** Who ended it: the agent itself, or one of our limits. */
  by: 'itself' | 'idle' | 'wall' | 'stopped' | 'grace' | 'over-budget'
  code: number | null
  signal: string | null
  /** Why the process could not be run, if so. */
  problem: string | null
  /** The program was not found. */
  missing: boolean
  /** The driver saw the agent's final event. */
  sawEnd: boolean
  /** A final event was expected. Plain text has none: there exit 0 is success, and phrases count. */
  finalEvent: boolean
  durationMs: Millis
  log: { path: string; bytes: number }
  stderrTail: string
}

export interface ReplyEndWithFailure {
  end: ReplyEnd
  failure: ReplyFailure | null
}

/** What the stream reported about the end. */
export interface StreamEnd {
  ended: { ok: boolean; reason: string } | null
  /** The last failure or limit, unless the agent continued to work after it. */
  failure: ReplyFailure | null
}

export function decideReplyEnd(end: ProcessEnd, heard: StreamEnd): ReplyEndWithFailure {
  if (end.missing) return failed('missing', end.problem ?? 'the program was not found')
  if (heard.ended?.ok) return { end: 'success', failure: null }
  switch (end.by) {
    case 'stopped':
    case 'over-budget':
      return { end: end.by, failure: null }
    case 'wall':
      return { end: 'timed-out', failure: heard.failure ?? timeout('it reached its time limit') }
    case 'idle':
      return { end: 'silent', failure: heard.failure ?? timeout('it printed nothing for too long') }
    case 'itself':
    case 'grace':
      return endedItself(end, heard)
    default:
      return assertNever(end.by)
  }
}

function endedItself(end: ProcessEnd, heard: StreamEnd): ReplyEndWithFailure {
  if (heard.failure !== null && (end.finalEvent || end.code !== 0 || heard.ended !== null))
    return { end: 'failed', failure: heard.failure }
  if (heard.ended !== null) return failed('unknown', heard.ended.reason || 'it reported a failure')
  if (end.problem !== null) return failed('crash', end.problem)
  const signal = end.signal ?? SIGNAL_CODES[end.code ?? 0]
  if (signal !== undefined) return failed('killed', `ended by ${signal}, which Ralph did not send`)
  if (end.code === 0 && !end.finalEvent) return { end: 'success', failure: null }
  return failed('crash', withLastLine(crashMessage(end), end.stderrTail))
}

/** A shell or wrapper between Ralph and the agent turns a signal into one of these. Vendors use the other codes above 128. */
const SIGNAL_CODES: Readonly<Record<number, string>> = { 137: 'SIGKILL', 143: 'SIGTERM' }

function crashMessage(end: ProcessEnd): string {
  if (end.sawEnd) return 'its final event is unreadable'
  return end.code === 0 ? 'it ended without its final event' : `ended with exit code ${end.code ?? 'unknown'}`
}

function withLastLine(message: string, stderr: string): string {
  const line = stderr.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return line === '' ? message : `${message}: ${line}`
}

function failed(kind: ReplyFailure['kind'], message: string): ReplyEndWithFailure {
  return { end: 'failed', failure: { kind, message: oneLine(message, FAILURE_MESSAGE_MAX) } }
}

function timeout(message: string): ReplyFailure {
  return { kind: 'timeout', message }
}

export const FAILURE_MESSAGE_MAX = 400
