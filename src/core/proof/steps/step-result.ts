/** What every proof step needs: how it is noted on the proof, and what a trial showed in a few words. */
import { listWithMore } from '../../text/format-amounts.ts'
import type { Evidence } from '../evidence.ts'
import { gateFailureLines } from '../gate-failure-lines.ts'
import type { GateFailure, ProofProgress, ProofMove, ProofStep, ProofStepName } from '../proof-types.ts'
import type { CompletedTrial } from '../trial.ts'
import { describeGateFailure } from '../verdict.ts'

export interface StepTrial<R extends ProofStep['is']> {
  proofStep: Extract<ProofStep, { is: R }>
  trial: CompletedTrial
}

/** A sentence names at most this many. */
export const MAX_LISTED_NAMES = 10

/** The gates run the source, and the source has overwritten a protected file. */
export function tamperingMove(
  progress: ProofProgress,
  on: { proofStep: ProofStepName; trial: CompletedTrial },
  writtenFiles: string[],
): ProofMove {
  return {
    is: 'refused',
    progress: withStepResult(progress, on, `something changed ${joinNames(writtenFiles)} while the gates ran`),
    say: null,
    verdict: 'tampered',
    why: `while the gates ran in the clean room, something they start changed ${joinNames(writtenFiles)}`,
    tell: `While the gates ran, something they start changed ${joinNames(writtenFiles)}: files that judge the work. Take that out of the work.`,
    lines: [
      'Something that the work starts writes to these files, which judge it. Take that out, and put them back if they are changed:',
      ...writtenFiles.slice(0, MAX_LISTED_NAMES),
    ],
  }
}

/** What could be chance: not a program that is missing, nor one that ran out of time. */
export function couldBeFlaky({ timedOut, missing }: Evidence): boolean {
  return !timedOut && !missing
}

/** The failing lines of a gate, cut: prompt and state have limited room. */
const LINES_MAX = 1_000

export function gateFailureOf(red: Evidence): GateFailure {
  return { why: describeGateFailure(red), lines: gateFailureLines(red).join('\n').slice(0, LINES_MAX) }
}

/** A trial that leaves its proof step open. */
export function withTrialTime(progress: ProofProgress, { durationMs }: CompletedTrial): ProofProgress {
  return { ...progress, pendingMs: progress.pendingMs + durationMs }
}

export function withStepResult(
  progress: ProofProgress,
  { proofStep, trial }: { proofStep: ProofStepName; trial: CompletedTrial },
  said: string,
): ProofProgress {
  const durationMs = progress.pendingMs + trial.durationMs
  return { ...progress, stepResults: [...progress.stepResults, { proofStep, said, durationMs }], pendingMs: 0 }
}

export function withSkippedStep(progress: ProofProgress, proofStep: ProofStepName, why: string): ProofProgress {
  return { ...progress, stepResults: [...progress.stepResults, { proofStep, said: `skipped: ${why}`, durationMs: 0 }] }
}

export function joinNames(names: string[]): string {
  return listWithMore(names.slice(0, 5), names.length - 5)
}
