/** How a proof step records its result, and what all steps share. */
import { listWithMore } from '../../text/format-amounts.ts'
import type { Evidence } from '../evidence.ts'
import { gateFailureLines } from '../gate-failure-lines.ts'
import type {
  GateFailure,
  ProofInput,
  ProofMove,
  ProofProgress,
  ProofStep,
  ProofStepMark,
  ProofStepName,
} from '../proof-types.ts'
import { PURPOSE_TITLES, type CompletedTrial } from '../trial.ts'
import { describeGateFailure, gateFailureReason } from '../verdict.ts'

export interface StepTrial<R extends ProofStep['is']> {
  proofStep: Extract<ProofStep, { is: R }>
  trial: CompletedTrial
}

/** A list names at most this many. */
export const MAX_LISTED_NAMES = 10

/** The gates run the source, and the source has overwritten a protected file. */
export function tamperingMove(
  progress: ProofProgress,
  { proofStep, trial }: { proofStep: TrialStepName; trial: CompletedTrial },
  writtenFiles: string[],
): ProofMove {
  const files = joinNames(writtenFiles)
  const said = `${PURPOSE_TITLES[proofStep]}: ${files} changed while the gates ran`
  return {
    is: 'refused',
    progress: withStepResult(progress, { proofStep, trial, mark: 'bad', said }),
    say: null,
    verdict: 'tampered',
    why: `the code under test changed ${files} while the gates ran`,
    tell: `While the gates ran, your code changed ${files}. Tests and configuration decide whether your work is done, so nothing may write to them. Remove the code that does.`,
    lines: [
      'The code under test writes to these files. Remove that code, and restore the files if they changed:',
      ...writtenFiles.slice(0, MAX_LISTED_NAMES),
    ],
  }
}

/** A missing program and a timeout are never chance. */
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

/** Steps that run trials. */
export type TrialStepName = Exclude<ProofStepName, 'final-tree'>

export function withStepResult(
  progress: ProofProgress,
  {
    proofStep,
    trial,
    mark,
    said,
  }: { proofStep: TrialStepName; trial: CompletedTrial; mark: ProofStepMark; said: string },
): ProofProgress {
  const durationMs = progress.pendingMs + trial.durationMs
  return { ...progress, stepResults: [...progress.stepResults, { proofStep, mark, said, durationMs }], pendingMs: 0 }
}

export function withSkippedStep(progress: ProofProgress, proofStep: TrialStepName, why: string): ProofProgress {
  const said = `${PURPOSE_TITLES[proofStep]}: skipped (${why})`
  return { ...progress, stepResults: [...progress.stepResults, { proofStep, mark: 'skipped', said, durationMs: 0 }] }
}

/** `original tests: failed (exit 1)`; names the gate if there are several. */
export function failedStepText(
  proofStep: TrialStepName,
  failed: Evidence,
  { gates }: Pick<ProofInput, 'gates'>,
): string {
  return `${PURPOSE_TITLES[proofStep]}: ${gates.length > 1 ? describeGateFailure(failed) : gateFailureReason(failed)}`
}

export function joinNames(names: string[]): string {
  return listWithMore(names.slice(0, 5), names.length - 5)
}
