/**
 * The title of an outcome (`advice.ts` has what to do about it): the same in the foreground, the dashboard, `status`, `show`, the report,
 * notifications and annotations. Only a proof is called proven: gates that passed in the working tree are only *gates passed*.
 */
import { describeEditedSettings } from '../tree/last-snapshot.ts'
import { isCompleteOutcome, type Outcome } from '../state/outcome.ts'
import { acceptanceCountText, coversEntireTree, ENTIRE_TREE, type AcceptanceRequest } from '../proof/acceptance.ts'
import type { Rules } from '../state/rules.ts'
import type { EventOf } from '../state/event.ts'

export function outcomeTitle({ is, verdict, exit, acceptance, cause }: Outcome): string {
  // The tasks were done by others or in other runs, and this run proved nothing.
  if (is === 'tasks_complete' && cause?.is === 'nothing-to-do') return 'nothing to do'
  if (is === 'drafted') return 'drafted'
  if (is === 'not_drafted') return 'not drafted'
  if (is === 'verified') return `verify: ${verdict}`
  if (verdict === 'proven') return 'proven done'
  if (verdict === 'gates-passed') return 'gates passed'
  if (verdict === 'needs-review')
    return `done, if you accept ${acceptanceCountText(acceptance?.count ?? 1, acceptance !== undefined && coversEntireTree(acceptance))}`
  if (is === 'room_failed') return 'unproven, the clean room failed'
  if (is === 'not_started' || is === 'program_missing') return 'not started'
  return isCompleteOutcome(is) && exit === 0 ? 'done, unproven' : 'not done'
}

/** The sentence under the title, without a repetition of the title. */
export function outcomeReason(outcome: Outcome): string {
  const { reason } = outcome
  const title = `${outcomeTitle(outcome)}: `
  return reason.startsWith(title) ? reason.slice(title.length) : reason
}

/** With a capital, for titles. */
export function outcomeHeading(outcome: Outcome): string {
  const title = outcomeTitle(outcome)
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`
}

/** `warn`: a person has to do or know something first. */
export function outcomeTone(outcome: Outcome): 'good' | 'warn' | 'bad' {
  if (outcome.verdict === 'proven' || outcome.is === 'drafted') return 'good'
  const open = outcome.verdict === 'needs-review' || outcome.is === 'room_failed'
  return open || outcome.exit === 0 ? 'warn' : 'bad'
}

/** As many output lines of a gate as a person reads to the end. */
const RED_LINES = 10

/**
 * The details of an outcome: changes that no trial could decide, the gates' output without the changes a person is asked about, and that
 * the next start uses other settings.
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
    ...(red === null ? [] : [`without ${count === 1 ? 'it' : 'them'}: ${red.why}`]),
    ...lines.slice(0, RED_LINES).map((line) => `  ${line}`),
  ]
}

/** Whether any gate checks a completion here. */
export function hasGates({ gates }: Pick<Rules, 'gates'>): boolean {
  return gates.length > 0
}

/** What had stopped a run that is resumed. */
export const RESUMED_AFTER_TEXT: Record<EventOf<'run-resumed'>['after'], string> = {
  crash: 'cut off',
  pause: 'paused',
  outage: 'left in an outage',
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
  if (outcome === null) return undone ? 'undone before it ended' : 'has not ended'
  return `${undone ? 'undone, was ' : ''}${left ? 'left unfinished' : outcomeTitle(outcome)}`
}

export function runStatusTone({ outcome, left, undone }: RunStatusInput): 'good' | 'warn' | 'bad' {
  return outcome === null || left || undone ? 'warn' : outcomeTone(outcome)
}
