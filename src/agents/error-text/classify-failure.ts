/**
 * Classifies a vendor's error text. Only text that a vendor writes about itself comes here: error events, a final result that is an
 * error, stderr of vendors that report there. Tool results, echoed files and echoed prompts never do, or a test fixture about rate limits
 * would put the run to sleep. The samples in `wordings.json` are real texts of the vendors.
 */
import type { AgentEvent, FailureKind, LimitKind } from '../../core/calls/agent-io.ts'
import { failureKindOf } from './error-patterns.ts'
import { parseObject, asObject, numberAt, textAt, type JsonObject } from '../../core/text/json.ts'
import { shortMessage } from '../transport/normalize.ts'

type Troubled = Extract<AgentEvent, { type: 'limited' | 'failed' }>

/** A vendor's final event that reports an error: it is final even if its text is only a warning. */
export function failedEndEvents(text: string, status?: number): AgentEvent[] {
  const event = failureEvent(text, { status })
  const failed: Troubled = event.type === 'remark' ? { type: 'failed', kind: 'unknown', message: event.text } : event
  return [failed, { type: 'ended', ok: false, reason: failed.kind }]
}

/** The event for a vendor's error, final or not: an error that the vendor recovers from is dropped at a successful end. */
export function failureEvent(
  text: string,
  about: { status?: number | undefined } = {},
): Troubled | Extract<AgentEvent, { type: 'remark' }> {
  const body = unwrap(text)
  const message = withReset(shortMessage(body.message), body.message)
  const kind = failureKindOf(`${body.type} ${message}`, about.status ?? body.status)
  if (kind === null) return { type: 'remark', text: message }
  return isLimit(kind) ? { type: 'limited', kind, message } : { type: 'failed', kind, message }
}

function isLimit(kind: FailureKind): kind is LimitKind {
  return kind === 'usage-limit' || kind === 'rate-limit'
}

/** For `Driver.exited`: the process ended without its final event; only its stderr is left. */
export function failureAtExit(end: { code: number | null; stderrTail: string }): Troubled | null {
  if (end.code === 0 || end.code === null) return null
  if (end.stderrTail.trim() === '') return null
  const event = failureEvent(end.stderrTail)
  return event.type === 'remark' ? null : event
}

/** Some vendors put the provider's complete JSON answer into their message: a person wants the sentence inside. */
function unwrap(text: string): { message: string; type: string; status: number | undefined } {
  const begin = text.indexOf('{')
  const end = text.lastIndexOf('}')
  const body = begin >= 0 && end > begin ? parseObject(text.slice(begin, end + 1)) : null
  const error: JsonObject | null = body === null ? null : (asObject(body['error']) ?? body)
  const message = error === null ? undefined : textAt(error, 'message')
  if (error === null || message === undefined) return { message: text, type: '', status: undefined }
  const words = ['type', 'status', 'code', 'reason'].map((key) => textAt(error, key))
  const window = /\w*per_?(?:minute|hour|day|month)\w*|insufficient_\w+/i.exec(text)?.[0]
  return {
    message: message.trim() === '' ? text : `${message}${resetBeside(text, message)}`,
    type: [...words, window].filter((word) => word !== undefined).join(' '),
    status: numberAt(error, 'code'),
  }
}

/** The sentence with the reset time may be far down. */
function withReset(short: string, whole: string): string {
  if (!short.endsWith('…')) return short
  const sentence = /[^.\n]*\b(?:resets?|try again|regain access)\b[^.\n]*\d[^.\n]*/i.exec(whole.slice(short.length - 1))
  return sentence === null ? short : `${short} ${shortMessage(sentence[0])}`
}

/** The reset time is often in a field beside the sentence, which would be lost with it. */
function resetBeside(text: string, message: string): string {
  const told =
    /"(retry_?delay|retry[-_]after(?:[-_]?ms)?|resets?_(?:at|in_seconds|ms)|x-ratelimit-reset)"\s*:\s*"?([\d.]+[a-z]{0,2})"?/i.exec(
      text,
    )
  return told === null || message.includes(told[2] ?? '') ? '' : ` (${told[1]}: ${told[2]})`
}
