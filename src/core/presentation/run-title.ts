/** How a run stands, in a few words: the same on `status`, `runs`, `show`, the report and `inspect`. */
import type { Outcome } from '../state/outcome.ts'
import { outcomeTitle, outcomeTone } from './outcome-text.ts'

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
