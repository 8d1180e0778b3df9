/** A gate's result as every screen shows it: where it ran, and whether that is good news. */
import type { Evidence, GateRunPurpose } from '../proof/evidence.ts'
import { describeGateFailure, hasPassed } from '../proof/verdict.ts'

/** Whether it ran in the clean room: then its tree is one of the tree archive. */
export function ranInCleanRoom(purpose: GateRunPurpose): boolean {
  return purpose !== 'baseline' && purpose !== 'completion'
}

export function gateResultText(evidence: Evidence): string {
  return hasPassed(evidence) ? `gate ${evidence.gate} passed` : describeGateFailure(evidence)
}

export interface GateResultMark {
  glyph: '✓' | '·' | '✗'
  tone: 'good' | 'warn' | 'bad'
}

const MARKS = {
  good: { glyph: '✓', tone: 'good' },
  warn: { glyph: '·', tone: 'warn' },
  bad: { glyph: '✗', tone: 'bad' },
} as const satisfies Record<string, GateResultMark>

/** Gates should fail on source that is broken on purpose, and the original tests only inform: neither failure is bad news. */
export function gateResultMark(evidence: Evidence): GateResultMark {
  const { purpose } = evidence
  const green = hasPassed(evidence)
  if (purpose === 'source-loaded' || purpose === 'mutation') return green ? MARKS.warn : MARKS.good
  if (green) return MARKS.good
  return purpose === 'original-tests' || purpose === 'needed' ? MARKS.warn : MARKS.bad
}
