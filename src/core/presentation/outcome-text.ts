/**
 * How an end is called (what to do about it stands in `advice.ts`): the same words in the foreground, the dashboard, `status`, `show`, the report, notices
 * and annotations. Only a proof is called one: gates that passed where the work was made are gates that passed.
 */
import { describeEditedFiles } from '../tree/last-snapshot.ts'
import { isComplete, type Outcome } from '../state/outcome.ts'
import { acceptanceSummary, coversEntireTree, ENTIRE_TREE, type AcceptanceRequest } from '../proof/acceptance.ts'
import type { Rules } from '../state/rules.ts'

export function outcomeTitle({ is, verdict, exit, acceptance, cause }: Outcome): string {
  // They were done by others or in other runs, and nothing was judged now.
  if (is === 'tasks_complete' && cause?.is === 'nothing-to-do') return 'nothing to do'
  if (is === 'drafted') return 'drafted'
  if (is === 'not_drafted') return 'not drafted'
  if (is === 'verified') return `verify: ${verdict}`
  if (verdict === 'proven') return 'proven done'
  if (verdict === 'gates-passed') return 'gates passed'
  if (verdict === 'needs-review')
    return `done, if you accept ${acceptanceSummary(acceptance?.count ?? 1, acceptance !== undefined && coversEntireTree(acceptance))}`
  if (is === 'room_failed') return 'unproven, the clean room failed'
  if (is === 'not_started' || is === 'program_missing') return 'not started'
  return isComplete(is) && exit === 0 ? 'done, unproven' : 'not done'
}

/** The sentence that belongs under the title, which is not said twice. */
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

/** `warn`: there is something to do or to know before it counts. */
export function outcomeTone(outcome: Outcome): 'good' | 'warn' | 'bad' {
  if (outcome.verdict === 'proven' || outcome.is === 'drafted') return 'good'
  const open = outcome.verdict === 'needs-review' || outcome.is === 'room_failed'
  return open || outcome.exit === 0 ? 'warn' : 'bad'
}

/** A gate's complaint that a person reads to the end. */
const RED_LINES = 10

/**
 * What belongs to the sentence of an end: what no trial could settle, what the gates say without what a person is asked about, and that
 * the next start goes by other settings.
 */
export function outcomeDetails({ acceptance, edited }: Outcome): string[] {
  const asked = acceptance === undefined ? [] : askedLines(acceptance)
  return edited === undefined ? asked : [...asked, describeEditedFiles(edited)]
}

function askedLines(acceptance: AcceptanceRequest): string[] {
  const { unclear, red, count } = acceptance
  const lines = red === null ? [] : red.lines.split('\n').filter((line) => line.trim() !== '')
  return [
    // That of the whole tree is the sentence itself.
    ...unclear.filter(({ path }) => path !== ENTIRE_TREE).map(({ path, why }) => `${path}: ${why}`),
    ...(red === null ? [] : [`without ${count === 1 ? 'it' : 'them'}: ${red.why}`]),
    ...lines.slice(0, RED_LINES).map((line) => `  ${line}`),
  ]
}

/** Does any gate judge a completion here? */
export function hasGates({ gates }: Pick<Rules, 'gates'>): boolean {
  return gates.length > 0
}

/** How a run stands, in a few words: the same on `status`, `runs`, `show`, the report and `inspect`. */
export interface RunStatusInput {
  /** Null: it has not ended. */
  outcome: Outcome | null
  /** Its engine gave up serving it, and it can be gone on with: then the outcome tells why it was left, and is none yet. */
  left: boolean
  /** It was taken back: what it came to then does not hold any more. */
  undone: boolean
}

export function runTitle({ outcome, left, undone }: RunStatusInput): string {
  if (outcome === null) return undone ? 'undone before it ended' : 'has not ended'
  return `${undone ? 'undone, was ' : ''}${left ? 'left unfinished' : outcomeTitle(outcome)}`
}

export function runTone({ outcome, left, undone }: RunStatusInput): 'good' | 'warn' | 'bad' {
  return outcome === null || left || undone ? 'warn' : outcomeTone(outcome)
}
