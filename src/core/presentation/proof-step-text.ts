/** A step of the proof as one line: its mark, its result, and how long it took. The same on every screen. */
import type { ProofStepMark, ProofStepResult } from '../proof/proof-types.ts'
import { formatSpan } from '../text/format-amounts.ts'
import type { TextPart, TextTone } from './iteration-text.ts'

export const PROOF_STEP_MARKS = {
  good: { glyph: '✓', tone: 'good' },
  bad: { glyph: '✗', tone: 'bad' },
  skipped: { glyph: '–', tone: 'dim' },
  warning: { glyph: '!', tone: 'warn' },
} as const satisfies Record<ProofStepMark, { glyph: string; tone: TextTone }>

/** The text behind the mark. */
export function proofStepParts({ said, durationMs }: ProofStepResult): TextPart[] {
  return durationMs === 0 ? [{ text: said }] : [{ text: said }, { text: ` · ${formatSpan(durationMs)}`, tone: 'dim' }]
}

/** For the report and for files. */
export function proofStepLine(step: ProofStepResult): string {
  const text = proofStepParts(step).map((part) => part.text)
  return `${PROOF_STEP_MARKS[step.mark].glyph} ${text.join('')}`
}
