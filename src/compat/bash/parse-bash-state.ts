/**
 * Reads the state that the bash tool saved: its breaker, its conversation and the calls of this hour. Signals and analyses of an old
 * run are never read: a new run starts without any. A file that cannot be read counts as missing, as in the bash tool.
 */
import type { StateFile } from '../../core/control-files.ts'
import type { Instant } from '../../core/ids.ts'
import type { Breaker, BreakerCounts, BreakerReason } from '../../core/admission/breaker.ts'
import type { Conversation } from '../../core/calls/conversation.ts'
import type { HourlyUsage } from '../../core/admission/quota.ts'
import { asObject, jsonOrNull, asObjects, textAt, type JsonObject } from '../../core/text/json.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { hourStamp } from './state-files.ts'
import { MAX_TRANSITIONS, type Transition } from './fold-history.ts'

/** The files that are read when a project of the bash tool starts for the first time. */
export const IMPORTED_STATE_FILES = [
  '.circuit_breaker_state',
  '.call_count',
  '.token_count',
  '.last_reset',
  '.claude_session_id',
  '.circuit_breaker_history',
  '.ralph_session_history',
] as const satisfies readonly StateFile[]

type OldFiles = { [name in (typeof IMPORTED_STATE_FILES)[number]]?: string | undefined }

export interface BashState {
  breaker: Breaker | null
  conversation: Conversation | null
  /** Usage in the current hour; null: the counters are of another hour, or there are none. */
  used: HourlyUsage | null
  /** Oldest first; Ralph's own history continues them. */
  turns: { breaker: Transition[]; conversation: Transition[] }
}

export interface BashStateContext {
  /** The current time as `2027-03-28 03:30:00`. */
  local: string
  readTime: (text: string) => Instant | null
  /** When a file was last written; null: unknown. */
  writtenAt: (name: StateFile) => Instant | null
}

export function parseBashState(files: OldFiles, reading: BashStateContext): BashState {
  return {
    breaker: readBreaker(files['.circuit_breaker_state'], reading),
    conversation: readConversation(files, reading),
    used: readUsed(files, reading),
    turns: {
      breaker: readTurns(files['.circuit_breaker_history'], reading),
      conversation: readTurns(files['.ralph_session_history'], reading),
    },
  }
}

function readBreaker(text: string | undefined, { readTime, writtenAt }: BashStateContext): Breaker | null {
  const file = readObject(text)
  const openedAt = timeAt(file, 'opened_at', readTime)
  // Without a time in the file, its modification time is used: an open breaker must not count as closed.
  const changedAt = timeAt(file, 'last_change', readTime) ?? openedAt ?? writtenAt('.circuit_breaker_state')
  if (changedAt === null) return null
  const counts: BreakerCounts = {
    idle: countAt(file, 'consecutive_no_progress'),
    failed: countAt(file, 'consecutive_same_error'),
    denied: countAt(file, 'consecutive_permission_denials'),
    declined: 0,
  }
  const common = { counts, opens: countAt(file, 'total_opens'), changedAt }
  const reason = oneLine(textOf(file, 'reason'), 300) || 'no reason was given'
  if (file['state'] === 'CLOSED') return { ...common, is: 'closed' }
  if (file['state'] === 'HALF_OPEN') return { ...common, is: 'half-open', reason }
  // Older files have no `opened_at`, only the time of the last change.
  if (file['state'] === 'OPEN') {
    return {
      ...common,
      is: 'open',
      openedAt: openedAt ?? changedAt,
      why: whyOf(reason),
      reason,
    }
  }
  return null
}

function whyOf(reason: string): BreakerReason {
  if (/permission denied|were denied/i.test(reason)) return 'denials'
  if (/same error/i.test(reason)) return 'same-error'
  return /output fell/i.test(reason) ? 'output-decline' : 'no-progress'
}

/**
 * JSON, or in older files a bare id on the first non-blank line. The bash tool wrote the file again after every call, so its
 * modification time tells when a bare id was last used.
 */
function readConversation(files: OldFiles, { readTime, writtenAt }: BashStateContext): Conversation | null {
  const text = files['.claude_session_id']
  const file = readObject(text)
  const bare = (text ?? '').split('\n').find((line) => line.trim() !== '')
  const id = (textOf(file, 'session_id') || (bare ?? '')).trim()
  if (!/^[A-Za-z0-9_-]+$/.test(id)) return null
  // A conversation of unknown age is not resumed.
  const usedAt = timeAt(file, 'timestamp', readTime) ?? writtenAt('.claude_session_id')
  return usedAt === null ? null : { agent: 'claude', id, usedAt, usage: null }
}

function readUsed(files: OldFiles, { local }: BashStateContext): HourlyUsage | null {
  if (files['.last_reset']?.trim() !== hourStamp(local)) return null
  const used = { calls: numberIn(files['.call_count']), tokens: numberIn(files['.token_count']) }
  return used.calls + used.tokens === 0 ? null : used
}

const STATES: Readonly<Record<string, string>> = { CLOSED: 'closed', HALF_OPEN: 'half-open', OPEN: 'open' }

function readTurns(text: string | undefined, { readTime }: BashStateContext): Transition[] {
  const word = (entry: Record<string, unknown>, key: string): string =>
    STATES[textOf(entry, key)] ?? oneLine(textOf(entry, key), 40)
  return asObjects(jsonOrNull(text ?? ''))
    .flatMap((entry) => {
      const at = timeAt(entry, 'timestamp', readTime)
      if (at === null) return []
      const loop = Math.max(countAt(entry, 'loop'), countAt(entry, 'loop_number'))
      return [
        {
          at,
          loop,
          from: word(entry, 'from_state'),
          to: word(entry, 'to_state'),
          reason: oneLine(textOf(entry, 'reason'), 300),
        },
      ]
    })
    .slice(-MAX_TRANSITIONS)
}

function readObject(content: string | undefined): JsonObject {
  return asObject(jsonOrNull(content ?? '')) ?? {}
}

function textOf(file: JsonObject, key: string): string {
  return textAt(file, key) ?? ''
}

function timeAt(file: JsonObject, key: string, readTime: BashStateContext['readTime']): Instant | null {
  const text = textOf(file, key)
  return text === '' ? null : readTime(text)
}

function countAt(file: JsonObject, key: string): number {
  const value = file[key]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

function numberIn(text: string | undefined): number {
  const word = (text ?? '').trim()
  const value = /^\d+$/.test(word) ? Number(word) : 0
  return Number.isSafeInteger(value) ? value : 0
}
