/** A gate's result on a screen: where it ran, and whether that is good news. */
import type { Evidence, Purpose } from '../../domain/proof/evidence.ts'
import { describeFailure, passed } from '../../domain/proof/verdict.ts'
import type { Paint } from './paint.ts'

/** Whether it ran in the clean room: its tree is one of the witness there. */
export function isTrial(purpose: Purpose): boolean {
  return purpose !== 'baseline' && purpose !== 'completion'
}

export function resultWords(evidence: Evidence): string {
  return passed(evidence) ? `gate ${evidence.gate} passed` : describeFailure(evidence)
}

/** Work that is broken on purpose should be noticed, and what the old judge says is only asked: neither is a failure. */
export function toneOfResult(evidence: Evidence): 'good' | 'warn' | 'bad' {
  const { purpose } = evidence
  const green = passed(evidence)
  if (purpose === 'looks' || purpose === 'mistake') return green ? 'warn' : 'good'
  if (green) return 'good'
  return purpose === 'old-judge' || purpose === 'needed' ? 'warn' : 'bad'
}

const MARKS = { good: '✓', warn: '·', bad: '✗' } as const

export function resultMark(evidence: Evidence, p: Paint): string {
  const tone = toneOfResult(evidence)
  return p[tone](MARKS[tone])
}
