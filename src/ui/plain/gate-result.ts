/** A gate's result on a screen: where it ran, and whether that is good news. */
import type { Evidence, GateRunPurpose } from '../../core/proof/evidence.ts'
import { describeFailure, passed } from '../../core/proof/verdict.ts'
import type { Paint } from './colours.ts'

/** Whether it ran in the clean room: its tree is one of the tree archive there. */
export function ranInCleanRoom(purpose: GateRunPurpose): boolean {
  return purpose !== 'baseline' && purpose !== 'completion'
}

export function gateResultText(evidence: Evidence): string {
  return passed(evidence) ? `gate ${evidence.gate} passed` : describeFailure(evidence)
}

/** Work that is broken on purpose should be noticed, and what the old judge says is only asked: neither is a failure. */
export function gateResultTone(evidence: Evidence): 'good' | 'warn' | 'bad' {
  const { purpose } = evidence
  const green = passed(evidence)
  if (purpose === 'source-loaded' || purpose === 'mutation') return green ? 'warn' : 'good'
  if (green) return 'good'
  return purpose === 'original-tests' || purpose === 'needed' ? 'warn' : 'bad'
}

const MARKS = { good: '✓', warn: '·', bad: '✗' } as const

export function gateResultMark(evidence: Evidence, p: Paint): string {
  const tone = gateResultTone(evidence)
  return p[tone](MARKS[tone])
}
