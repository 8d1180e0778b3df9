/**
 * How an end is called and what to do about it: the same words in the foreground, the dashboard, `status`, `show`, the report, notices
 * and annotations. Only a proof is called one: gates that passed where the work was made are gates that passed.
 */
import type { RunId } from './ids.ts'
import { isComplete, type Outcome } from './loop/outcome.ts'
import type { Rules } from './rules.ts'

export function titleOf({ is, verdict, exit, acceptance }: Outcome): string {
  if (verdict === 'proven') return 'proven done'
  if (verdict === 'gates-passed') return 'gates passed'
  if (verdict === 'needs-acceptance') return `done, if you accept ${filesWords(acceptance?.count ?? 1)}`
  if (is === 'room_failed') return 'unproven, the clean room failed'
  return isComplete(is) && exit === 0 ? 'done, unproven' : 'not done'
}

/** The sentence that belongs under the title, which is not said twice. */
export function reasonOf(outcome: Outcome): string {
  const { reason } = outcome
  const title = `${titleOf(outcome)}: `
  return reason.startsWith(title) ? reason.slice(title.length) : reason
}

/** With a capital, for titles. */
export function headingOf(outcome: Outcome): string {
  const title = titleOf(outcome)
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`
}

/** `warn`: there is something to do or to know before it counts. */
export function toneOf(outcome: Outcome): 'good' | 'warn' | 'bad' {
  if (outcome.verdict === 'proven') return 'good'
  const open = outcome.verdict === 'needs-acceptance' || outcome.is === 'room_failed'
  return open || outcome.exit === 0 ? 'warn' : 'bad'
}

/** A gate's complaint that a person reads to the end. */
const RED_LINES = 10

/** What belongs to the sentence of an end: what no trial could settle, and what the gates say without what a person is asked about. */
export function askedLines({ acceptance }: Outcome): string[] {
  if (acceptance === undefined) return []
  const { unclear, red, count } = acceptance
  const lines = red === null ? [] : red.lines.split('\n').filter((line) => line.trim() !== '')
  return [
    ...unclear.map(({ path, why }) => `${path}: ${why}`),
    ...(red === null ? [] : [`without ${count === 1 ? 'it' : 'them'}: ${red.why}`]),
    ...lines.slice(0, RED_LINES).map((line) => `  ${line}`),
  ]
}

/** Does any gate judge a completion here? */
export function isGated({ gates }: Pick<Rules, 'gates'>): boolean {
  return gates.some(({ when }) => when !== 'landing')
}

/** Where the settings ask for gates only, this asks for more. */
const VERIFY_FULLY = 'RALPH_PROOF_LEVEL=full ralph verify'

export interface Step {
  command: string
  why: string
}

export interface Ended {
  outcome: Outcome
  run: RunId
  /** Some gate judges a completion here. */
  gated: boolean
  nextBox: string | null
  /** A gate that is red. */
  red: string | null
}

/** What to do next, most useful first. */
export function stepsAfter({ outcome, run, gated, nextBox, red }: Ended): Step[] {
  const undo = { command: 'ralph undo', why: 'take it all back' }
  const look = { command: `ralph show ${run}`, why: 'look at what was done' }
  if (outcome.is === 'outage') {
    return [
      { command: 'ralph loop', why: 'it is unfinished: go on with it' },
      { command: 'ralph loop --fresh', why: 'give it up and begin anew' },
    ]
  }
  if (outcome.verdict === 'proven') return [look, undo]
  if (outcome.verdict === 'needs-acceptance')
    return [{ command: 'ralph accept', why: 'see each change and decide' }, look, undo]
  if (outcome.is === 'room_failed')
    return [{ command: 'ralph verify', why: 'complete the proof, once the cause is gone' }, look, undo]
  if (outcome.verdict === 'gates-passed')
    return [{ command: VERIFY_FULLY, why: 'have it proven, in a clean room' }, look, undo]
  if (outcome.exit === 0 && gated)
    return [{ command: 'ralph verify', why: 'try it again, once the reason is gone' }, look, undo]
  if (outcome.exit === 0)
    return [{ command: 'ralph init', why: 'nothing proves this yet: it detects gates' }, undo]
  return [
    ...(red === null ? [] : [{ command: `ralph logs ${run} --gate`, why: `why gate ${red} is red` }]),
    ...(outcome.is === 'breaker'
      ? [{ command: 'ralph steer "…" after ralph loop', why: 'nothing moved: say what to do differently' }]
      : []),
    { command: 'ralph loop', why: nextBox === null ? 'go on' : `go on with: ${nextBox}` },
    undo,
  ]
}

/** The same in one line, for screens that have no more. */
export function nextLine({ outcome, run, gated }: Pick<Ended, 'outcome' | 'run' | 'gated'>): string {
  if (outcome.verdict === 'proven')
    return `again: ralph replay ${run} · evidence: ralph inspect evidence · back: ralph undo`
  if (outcome.verdict === 'needs-acceptance')
    return `see each change and decide: ralph accept · back: ralph undo`
  if (outcome.is === 'room_failed')
    return `the work is kept · complete the proof: ralph verify · back: ralph undo`
  if (outcome.verdict === 'gates-passed') return `to have it proven: ${VERIFY_FULLY} · back: ralph undo`
  if (outcome.is === 'iteration_limit')
    return 'go on: ralph loop · without this limit: ralph loop --max-iterations 0'
  if (outcome.is === 'outage')
    return 'the run is unfinished · go on with it: ralph loop · give it up: ralph loop --fresh'
  if (outcome.is === 'breaker') return `why: ralph replay ${run} · try again: ralph loop --auto-reset-circuit`
  if (outcome.exit === 0 && gated)
    return `what was tried: ralph show ${run} · once the reason is gone: ralph verify`
  if (outcome.exit === 0) return 'to have it proven, add a gate: ralph init detects them'
  return `why: ralph replay ${run} · go on: ralph loop · back: ralph undo`
}

/** What a title says: `a file`, `3 files`. */
export function filesWords(count: number): string {
  return count === 1 ? 'a file' : `${count} files`
}
