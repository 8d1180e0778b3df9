/** The result of a gate and of a proof step as every screen shows it: where it ran, and whether that is good news. */
import type { Evidence, GateRunPurpose } from '../proof/evidence.ts'
import type { ProofStepMark, ProofStepResult } from '../proof/proof-types.ts'
import { gateFailureReason, hasPassed } from '../proof/verdict.ts'
import { formatSpan } from '../text/format-amounts.ts'
import type { TextPart, TextTone } from './iteration-text.ts'

/** Whether it ran in the clean room: then its tree is one of the tree archive. */
export function ranInCleanRoom(purpose: GateRunPurpose): boolean {
  return purpose !== 'baseline' && purpose !== 'completion'
}

/** These trials break something on purpose: a gate that fails has noticed it. */
const MUST_FAIL: ReadonlySet<GateRunPurpose> = new Set<GateRunPurpose>(['source-loaded', 'mutation', 'expects'])

/** `tests: pass`, `tests: failed (exit 1)`, `tests: failed as expected (exit 1)`, `baseline: tests pass`. */
export function gateResultText(evidence: Evidence): string {
  const { purpose, exit, timedOut, missing, unstable } = evidence
  const gate = purpose === 'baseline' ? `baseline: ${evidence.gate}` : `${evidence.gate}:`
  const mustFail = MUST_FAIL.has(purpose)
  if (hasPassed(evidence)) return `${gate} pass${mustFail ? ', but should fail' : ''}`
  const hasFailed = exit !== null && !timedOut && !missing && !unstable
  return mustFail && hasFailed ? `${gate} failed as expected (exit ${exit})` : `${gate} ${gateFailureReason(evidence)}`
}

export interface GateResultMark {
  glyph: '✓' | '!' | '✗'
  tone: 'good' | 'warn' | 'bad'
}

const MARKS = {
  good: { glyph: '✓', tone: 'good' },
  warn: { glyph: '!', tone: 'warn' },
  bad: { glyph: '✗', tone: 'bad' },
} as const satisfies Record<string, GateResultMark>

/** A gate that fails before the work, or in the search for needed changes, is no bad news about the work. */
export function gateResultMark(evidence: Evidence): GateResultMark {
  const { purpose } = evidence
  const passed = hasPassed(evidence)
  if (MUST_FAIL.has(purpose)) return passed ? MARKS.warn : MARKS.good
  if (passed) return MARKS.good
  return purpose === 'baseline' || purpose === 'base' || purpose === 'needed' ? MARKS.warn : MARKS.bad
}

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
