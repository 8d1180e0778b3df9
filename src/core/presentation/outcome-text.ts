/**
 * The title and the headline of an outcome (`advice.ts` says what to do next): the same in the foreground, the dashboard, `status`, `show`,
 * the report, notifications and annotations. Only a proof is called proven: gates that passed in the working tree are only *gates passed*.
 */
import { describeEditedSettings } from '../tree/last-snapshot.ts'
import { isCompleteOutcome, type Outcome } from '../state/outcome.ts'
import { assertNever } from '../assert-never.ts'
import { acceptanceCountText, ENTIRE_TREE, type AcceptanceRequest } from '../proof/acceptance.ts'
import type { Rules } from '../state/rules.ts'
import type { EventOf } from '../state/event.ts'
import type { BreakerReason } from '../admission/breaker.ts'
import type { Verdict } from '../proof/evidence.ts'

export function outcomeTitle({ is, verdict, exit, cause }: Outcome): string {
  // Others or earlier runs did the tasks, and this run proved nothing.
  if (is === 'tasks_complete' && cause?.is === 'nothing-to-do') return 'nothing to do'
  if (is === 'drafted') return 'drafted'
  if (is === 'not_drafted') return 'not drafted'
  if (is === 'verified') return `verify: ${verdict}`
  if (verdict === 'proven') return 'proven done'
  if (verdict === 'gates-passed') return 'gates passed'
  if (verdict === 'needs-review') return 'done, needs review'
  if (is === 'room_failed') return 'unproven'
  if (is === 'not_started' || is === 'program_missing') return 'not started'
  return isComplete({ is, exit }) ? 'done, unproven' : 'not done'
}

/** The title and the cause in at most 60 characters: `DONE, NEEDS REVIEW: 1 test file changed`. */
export function outcomeHeadline(outcome: Outcome): string {
  const title = outcomeTitle(outcome).toUpperCase()
  const cause = outcomeCause(outcome)
  return cause === null ? title : `${title}: ${cause}`
}

/** The same with one capital, for titles of notifications and annotations. */
export function outcomeHeading(outcome: Outcome): string {
  const title = outcomeTitle(outcome)
  const cause = outcomeCause(outcome)
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}${cause === null ? '' : `: ${cause}`}`
}

/** The cause in a few words; null: the title says all. */
function outcomeCause(outcome: Outcome): string | null {
  const { is, verdict, acceptance, cause } = outcome
  if (verdict === 'needs-review') return acceptance === undefined ? null : acceptanceCountText(acceptance)
  if (verdict === 'proven' || verdict === 'gates-passed' || cause?.is === 'nothing-to-do') return null
  switch (is) {
    case 'plan_complete':
    case 'project_complete':
    case 'completion_signals':
      return isComplete(outcome) ? null : 'unproven'
    case 'cannot_prove':
      return rejectedBecause(verdict, cause?.is === 'refused' ? cause.gate : null)
    case 'agent_unusable':
      return cause?.is === 'unheard' ? 'no reviewer gave a verdict' : "the agent can't be used"
    case 'breaker':
      return cause?.is === 'stuck' ? STUCK[cause.why] : 'circuit breaker open'
    case 'safety_stop':
      return 'the agent keeps claiming to be done'
    case 'test_saturation':
      return 'the agent only runs tests'
    case 'permission_denied':
      return 'a command was denied'
    case 'iteration_limit':
      return 'iteration limit reached'
    case 'time_limit':
      return 'time limit reached'
    case 'token_limit':
      return 'token limit reached'
    case 'cost_limit':
      return 'budget spent'
    case 'program_missing':
      return 'a program is missing'
    case 'outage':
      return 'the agent cannot be reached'
    case 'api_limit_exit':
      return 'usage limit reached'
    case 'room_failed':
      return 'the clean room failed'
    case 'files_deleted':
      return "Ralph's project files were deleted"
    case 'tasks_failed':
      return 'tasks failed'
    case 'tasks_blocked':
      return 'the remaining tasks are blocked'
    case 'no_plan':
      return 'there are no tasks'
    case 'stopped':
      return 'stopped'
    case 'abandoned':
      return 'abandoned'
    case 'failed':
      return 'something went wrong'
    case 'needs_acceptance':
    case 'not_started':
    case 'tasks_complete':
    case 'drafted':
    case 'not_drafted':
    case 'verified':
      return null
    default:
      return assertNever(is)
  }
}

const STUCK: Record<BreakerReason, string> = {
  'no-progress': 'no progress',
  'same-error': 'the same error again and again',
  denials: 'commands were denied',
  'output-decline': 'the agent writes less and less',
}

/** Why the last completion was rejected. A gate's name may be long. */
function rejectedBecause(verdict: Verdict, gate: string | null): string {
  const name = gate === null || gate.length > GATE_MAX ? 'a gate' : gate
  switch (verdict) {
    case 'regressed':
      return `${name} failed, but passed before the run`
    case 'baseline-failed':
      return `${name} failed before the run, too`
    case 'failed':
      return gate === null ? 'completion rejected' : `${name} failed`
    case 'tampered':
      return 'the code changes tests while they run'
    case 'flaky':
      return `${name} is flaky`
    case 'timed-out':
      return `${name} timed out`
    case 'unproven':
      return 'unproven'
    case 'proven':
    case 'needs-review':
    case 'gates-passed':
      return 'completion rejected'
    default:
      return assertNever(verdict)
  }
}

const GATE_MAX = 20

/** The sentence under the headline. */
export function outcomeReason({ reason }: Outcome): string {
  return reason
}

/** `warn`: a person has to do or know something first. */
export function outcomeTone(outcome: Outcome): 'good' | 'warn' | 'bad' {
  if (outcome.verdict === 'proven' || outcome.is === 'drafted') return 'good'
  const open = outcome.verdict === 'needs-review' || outcome.is === 'room_failed'
  return open || outcome.exit === 0 ? 'warn' : 'bad'
}

function isComplete({ is, exit }: Pick<Outcome, 'is' | 'exit'>): boolean {
  return isCompleteOutcome(is) && exit === 0
}

/** More output lines of a gate nobody reads. */
const FAILING_LINES = 10

/**
 * The details of an outcome: changes that no trial could decide, the gates' output without the changes to review, and that the next start
 * uses other settings.
 */
export function outcomeDetails({ acceptance, edited }: Outcome): string[] {
  const asked = acceptance === undefined ? [] : askedLines(acceptance)
  return edited === undefined ? asked : [...asked, describeEditedSettings(edited)]
}

function askedLines(acceptance: AcceptanceRequest): string[] {
  const { unclear, red, count } = acceptance
  const lines = red === null ? [] : red.lines.split('\n').filter((line) => line.trim() !== '')
  return [
    // The reason for the entire tree is the sentence above these lines.
    ...unclear.filter(({ path }) => path !== ENTIRE_TREE).map(({ path, why }) => `${path}: ${why}`),
    ...(red === null ? [] : [`with the original ${count === 1 ? 'file' : 'files'}: ${red.why}`]),
    ...lines.slice(0, FAILING_LINES).map((line) => `  ${line}`),
  ]
}

/** Whether any gate checks a completion here. */
export function hasGates({ gates }: Pick<Rules, 'gates'>): boolean {
  return gates.length > 0
}

/** How a run that is resumed now was stopped. */
export const RESUMED_AFTER_TEXT: Record<EventOf<'run-resumed'>['after'], string> = {
  crash: 'interrupted',
  pause: 'paused',
  outage: 'interrupted by an outage',
}

/** The status of a run in a few words: the same in `status`, `runs`, `show`, the report and `inspect`. */
export interface RunStatusInput {
  /** Null: it has not ended. */
  outcome: Outcome | null
  /** Its engine left it unfinished, and it can be resumed: the outcome then only has the reason. */
  left: boolean
  /** It was undone: its outcome is no longer valid. */
  undone: boolean
}

export function runStatusText({ outcome, left, undone }: RunStatusInput): string {
  if (outcome === null) return undone ? 'undone before it ended' : 'not finished'
  return `${undone ? 'undone, was ' : ''}${left ? 'interrupted' : outcomeTitle(outcome)}`
}

export function runStatusTone({ outcome, left, undone }: RunStatusInput): 'good' | 'warn' | 'bad' {
  return outcome === null || left || undone ? 'warn' : outcomeTone(outcome)
}
