/** How a run stands, in a few words: the same on `status`, `runs`, `show`, the report and `inspect`. */
import type { Outcome } from './loop/outcome.ts'
import { titleOf, toneOf } from './outcome-words.ts'

export interface Standing {
  /** Null: it has not ended. */
  outcome: Outcome | null
  /** Its engine gave up serving it, and it can be gone on with: then the outcome tells why it was left, and is none yet. */
  left: boolean
}

export function runTitle({ outcome, left }: Standing): string {
  if (outcome === null) return 'has not ended'
  return left ? 'left unfinished' : titleOf(outcome)
}

export function runTone({ outcome, left }: Standing): 'good' | 'warn' | 'bad' {
  return outcome === null || left ? 'warn' : toneOf(outcome)
}
