/** `status.json` and `progress.json`: the two files that the bash tool's monitor reads every two seconds. */
import type { OutcomeName } from '../../core/state/outcome.ts'
import { HOUR_MS, hourStart } from '../../core/admission/quota.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import type { IterationView, RunView, WorkerView } from '../../core/presentation/run-view.ts'
import type { LiveRunState } from './state-files.ts'
import { lastIterationOf, type BashHistory } from './fold-history.ts'

/** The bash tool's three words for the status of a run. */
interface CurrentStatus {
  status: string
  last_action: string
  exit_reason: string
}

export function statusFileContent(past: BashHistory, present: LiveRunState): object {
  const { state, used, at, times } = present
  const { quota } = state.run.rules
  const { status, last_action, exit_reason } = currentStatus(past, present)
  return {
    timestamp: times.utc(at),
    loop_count: lastIterationOf(past),
    calls_made_this_hour: used.calls,
    max_calls_per_hour: quota.callsPerHour,
    tokens_used_this_hour: used.tokens,
    max_tokens_per_hour: quota.tokensPerHour,
    last_action,
    status,
    exit_reason,
    sandbox: { provider: 'none' },
    // The full hour that the limiter waits for; the bash tool wrote "in an hour from now".
    next_reset: times.local(hourStart(at) + HOUR_MS).slice(11),
  }
}

function currentStatus(past: BashHistory, { view, broken }: LiveRunState): CurrentStatus {
  if (view.outcome !== null) return ENDED[view.outcome.is]
  if (broken) return { status: 'stopped', last_action: 'interrupted', exit_reason: 'engine_failed' }
  const activity = view.workers['1']?.activity.is
  if (activity === 'waiting') return WAITING[past.waits]
  if (activity === 'paused') return { status: 'paused', last_action: 'paused', exit_reason: '' }
  return { status: 'running', last_action: 'executing', exit_reason: '' }
}

const WAITING: Record<BashHistory['waits'], CurrentStatus> = {
  completed: { status: 'success', last_action: 'completed', exit_reason: '' },
  failed: { status: 'error', last_action: 'failed', exit_reason: '' },
  api_limit: { status: 'paused', last_action: 'api_limit', exit_reason: '' },
  rate_limit: { status: 'paused', last_action: 'rate_limit', exit_reason: '' },
  circuit_breaker_open: { status: 'paused', last_action: 'circuit_breaker_open', exit_reason: '' },
}

/** Only completed work is "completed": the bash tool also used the word for a run that gave up. */
const ENDED: Record<OutcomeName, CurrentStatus> = {
  plan_complete: ended('completed', 'graceful_exit', 'plan_complete'),
  project_complete: ended('completed', 'graceful_exit', 'project_complete'),
  completion_signals: ended('completed', 'graceful_exit', 'completion_signals'),
  test_saturation: ended('halted', 'graceful_exit', 'test_saturation'),
  safety_stop: ended('halted', 'graceful_exit', 'safety_circuit_breaker'),
  permission_denied: ended('halted', 'permission_denied', 'permission_denied'),
  breaker: ended('halted', 'circuit_breaker_open', 'stagnation_detected'),
  cannot_prove: ended('halted', 'cannot_prove', 'cannot_prove'),
  needs_acceptance: ended('halted', 'needs_acceptance', 'needs_acceptance'),
  room_failed: ended('halted', 'room_failed', 'room_failed'),
  files_deleted: ended('halted', 'integrity_failure', 'files_deleted'),
  tasks_complete: ended('completed', 'graceful_exit', 'tasks_complete'),
  tasks_failed: ended('halted', 'tasks_failed', 'tasks_failed'),
  tasks_blocked: ended('halted', 'tasks_blocked', 'tasks_blocked'),
  no_plan: ended('stopped', 'no_plan', 'no_plan'),
  drafted: ended('completed', 'graceful_exit', 'drafted'),
  not_drafted: ended('halted', 'not_drafted', 'not_drafted'),
  verified: ended('completed', 'graceful_exit', 'verified'),
  iteration_limit: ended('stopped', 'iteration_limit', 'iteration_limit'),
  time_limit: ended('stopped', 'time_limit', 'time_limit'),
  token_limit: ended('stopped', 'token_limit', 'token_limit'),
  cost_limit: ended('stopped', 'cost_limit', 'cost_limit'),
  stopped: ended('stopped', 'interrupted', ''),
  abandoned: ended('stopped', 'interrupted', 'abandoned'),
  api_limit_exit: ended('stopped', 'api_limit_exit', 'api_5hour_limit'),
  agent_unusable: ended('error', 'failed', 'agent_unusable'),
  program_missing: ended('error', 'failed', 'program_missing'),
  not_started: ended('stopped', 'interrupted', 'not_started'),
  // Not over: the same command resumes it.
  outage: ended('paused', 'failed', 'outage'),
  failed: ended('error', 'failed', 'failed'),
}

function ended(status: string, last_action: string, exit_reason: string): CurrentStatus {
  return { status, last_action, exit_reason }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸'] as const

/** The part that changes while an agent works. */
export type ProgressInput = Pick<LiveRunState, 'view' | 'at' | 'times' | 'lastMessage' | 'broken'>

/** Null before the first iteration: the file of an earlier run would be wrong. */
export function progressFileContent(present: ProgressInput): object | null {
  const { view, at, times, lastMessage, broken } = present
  const worker = view.workers['1']
  const last = view.iterations.findLast((one) => one.worker === '1')
  if (last === undefined) return null
  if (isWorking(worker) && last.end === null && !broken) {
    const seconds = Math.max(0, Math.floor((at - last.startedAt) / 1000))
    return {
      status: 'executing',
      indicator: FRAMES[seconds % FRAMES.length],
      elapsed_seconds: seconds,
      last_output: oneLine(lastMessage, 80),
      timestamp: times.local(at),
    }
  }
  return { ...ending(last), timestamp: times.local(last.startedAt + (last.durationMs ?? 0)) }
}

/** The status of the run in one word: the files are written again when it changes. */
export function statusKeyOf({ workers, outcome }: Pick<RunView, 'workers' | 'outcome'>): StatusKey {
  const worker = workers['1']
  const is = worker?.activity.is
  const iteration = worker?.iteration ?? 0
  if (outcome !== null) return { is: 'ended', iteration }
  if (isWorking(worker)) return { is: 'working', iteration }
  return { is: is === 'waiting' || is === 'paused' ? is : 'between', iteration }
}

export interface StatusKey {
  /** `between`: an iteration is measured, evaluated, or about to start. */
  is: 'working' | 'waiting' | 'paused' | 'ended' | 'between'
  iteration: number
}

function isWorking(worker: WorkerView | undefined): boolean {
  return worker?.activity.is === 'working' || worker?.activity.is === 'stopping'
}

function ending(last: IterationView): object {
  if (last.end === 'success') return { status: 'completed' }
  const changed = last.change?.files ?? 0
  if (last.end === 'timed-out' && changed > 0) return { status: 'timed_out_productive', files_changed: changed }
  return { status: 'failed', error: oneLine(last.failure ?? last.end ?? 'interrupted', 200) }
}
