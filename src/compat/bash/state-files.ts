/**
 * The bash tool's state files in `.ralph/`, for its monitors and people's own scripts. They are projections of the record and decide
 * nothing; after the first import Ralph does not read them. Each is complete and valid at any moment.
 */
import { STATE_FILES, type StateFile } from '../../core/control-files.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Instant } from '../../core/ids.ts'
import type { Breaker } from '../../core/admission/breaker.ts'
import type { HourlyUsage } from '../../core/admission/quota.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { analysisFileContent } from './analysis-file.ts'
import { lastIterationOf, type BashHistory, type Transition } from './fold-history.ts'
import { progressFileContent, statusFileContent, type ProgressInput } from './status-files.ts'

/** Files that show that a project uses the bash tool, or a monitor made for it. */
export const BASH_TOOL_MARKERS: readonly string[] = [
  '.ralphrc',
  '.ralph/.ralphrc',
  ...STATE_FILES.map((name) => `.ralph/${name}`),
]

/** How instants are formatted. Passed in, because only the machine knows its time zone. */
export interface TimeFormatter {
  /** `2027-03-28T01:30:00+00:00` */
  utc(at: Instant): string
  /** `2027-03-28 03:30:00` */
  local(at: Instant): string
}

/** What the files show beyond the rows of the record. */
export interface LiveRunState {
  view: RunView
  /** The state after the last row. */
  state: RunState
  used: HourlyUsage
  at: Instant
  /** The agent's last message, while it works. */
  lastMessage: string
  /** The engine crashed: no process runs the run any more. */
  broken: boolean
  times: TimeFormatter
}

/** Null: the file must not exist. */
export function stateFileTexts(past: BashHistory, present: LiveRunState): Record<StateFile, string | null> {
  const { state, used, at, times } = present
  const worker = state.workers['1']
  const breaker = worker?.breaker ?? null
  const { conversation = null, exitCounts, lastLength = null } = worker ?? {}
  const { signals } = past
  return {
    'status.json': json(statusFileContent(past, present)),
    'progress.json': progressFileText(present),
    '.call_count': `${used.calls}\n`,
    '.token_count': `${used.tokens}\n`,
    '.last_reset': `${hourStamp(times.local(at))}\n`,
    '.exit_signals': json({
      test_only_loops: lastOf(signals.testOnly, exitCounts?.testOnly),
      done_signals: lastOf(signals.done, exitCounts?.done),
      completion_indicators: lastOf(signals.indicators, exitCounts?.indicators),
    }),
    '.response_analysis': past.analyzedReply === null ? null : json(analysisFileContent(past.analyzedReply, times)),
    '.last_output_length': lastLength === null ? null : `${lastLength}\n`,
    '.loop_start_sha': `${past.startSha ?? ''}\n`,
    '.circuit_breaker_state':
      breaker === null ? null : breakerFileText(breaker, { ...past, iteration: lastIterationOf(past), times }),
    '.circuit_breaker_history': breakerHistoryText(past.breakerTransitions, times),
    // This file is about Claude; ids of other agents do not belong in it.
    '.claude_session_id':
      conversation === null || conversation.agent !== 'claude'
        ? null
        : json({ session_id: conversation.id, timestamp: times.utc(conversation.usedAt) }),
    '.ralph_session': sessionFileText(past, present),
    '.ralph_session_history': conversationHistoryText(past.conversationTransitions, times),
  }
}

/** `progress.json` alone. */
export function progressFileText(present: ProgressInput): string | null {
  const content = progressFileContent(present)
  return content === null ? null : json(content)
}

/** `2027-03-28_03-30-00`, in the names of logs. */
export function logStamp(local: string): string {
  return local.replace(' ', '_').replaceAll(':', '-')
}

/** `2027032803` */
export function hourStamp(local: string): string {
  return local.replaceAll(/\D/g, '').slice(0, 10)
}

const STATES = { closed: 'CLOSED', 'half-open': 'HALF_OPEN', open: 'OPEN' } as const satisfies Record<
  Breaker['is'],
  string
>

/** The bash tool's name for the state of the breaker. */
export function breakerStateName({ is }: Breaker): (typeof STATES)[Breaker['is']] {
  return STATES[is]
}

export function breakerFileText(
  breaker: Breaker,
  more: { lastProgress: number; iteration: number; times: TimeFormatter },
): string {
  const { counts } = breaker
  return json({
    state: breakerStateName(breaker),
    last_change: more.times.utc(breaker.changedAt),
    consecutive_no_progress: counts.idle,
    consecutive_same_error: counts.failed,
    consecutive_permission_denials: counts.denied,
    last_progress_loop: more.lastProgress,
    total_opens: breaker.opens,
    reason: breaker.is === 'closed' ? '' : breaker.reason,
    current_loop: more.iteration,
    ...(breaker.is === 'open' ? { opened_at: more.times.utc(breaker.openedAt) } : {}),
  })
}

export function breakerHistoryText(turns: Transition[], times: TimeFormatter): string {
  return json(
    turns.map(({ at, loop, from, to, reason }) => ({
      timestamp: times.utc(at),
      loop,
      from_state: stateWord(from),
      to_state: stateWord(to),
      reason,
    })),
  )
}

export function conversationHistoryText(turns: Transition[], times: TimeFormatter): string {
  return json(
    turns.map(({ at, loop, from, to, reason }) => ({
      timestamp: times.utc(at),
      from_state: from,
      to_state: to,
      reason,
      loop_number: loop,
    })),
  )
}

/** The bash tool's id for a series of iterations: here it is the run. Empty after a reset. */
function sessionFileText({ lastReset }: BashHistory, { view, times }: LiveRunState): string {
  if (lastReset !== null) return sessionResetText(lastReset, times)
  return json({
    session_id: `ralph-${Math.floor(view.startedAt / 1000)}-${view.run}`,
    created_at: times.utc(view.startedAt),
    last_used: times.utc(view.at),
    reset_at: '',
    reset_reason: '',
  })
}

export function sessionResetText(reset: { at: Instant; reason: string }, times: TimeFormatter): string {
  return json({
    session_id: '',
    created_at: '',
    last_used: '',
    reset_at: times.utc(reset.at),
    reset_reason: reset.reason,
  })
}

function stateWord(word: string): string {
  return Object.hasOwn(STATES, word) ? STATES[word as Breaker['is']] : word
}

/** The bash tool keeps five entries in its lists. */
const SIGNALS_KEPT = 5

/** The iterations that count now: as many of the last ones as the exit rules have counted. */
function lastOf(iterations: number[], counted: number | undefined): number[] {
  const n = Math.min(counted ?? 0, SIGNALS_KEPT)
  return n === 0 ? [] : iterations.slice(-n)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
