/**
 * The proof steps of a completion whose gates pass in the working tree. Each step is a trial in the clean room: the completion as it is;
 * with the original tests and configuration, and if that fails, which of their changes the work needs; with source that fails on load; with
 * mutated lines; and with mutated assertions. A step that cannot add anything is skipped, with its reason.
 * Pure: `nextProofMove` takes the result of the last trial and returns the next move. A run and `verify` use the same steps (`steps/`).
 */
import { assertNever } from '../assert-never.ts'
import type { ProofInput, ProofProgress, ProofMove, ProofStepAnswer } from './proof-types.ts'
import { afterAssertions, afterSourceLoaded, afterMutation } from './steps/mutation.ts'
import { afterBaseTrial, afterCleanRoom, afterClassification, afterIgnoredTrial } from './steps/clean-room.ts'
import { afterFinalTree } from './steps/final-tree.ts'
import { afterSearchTrial, afterOriginalTests } from './steps/original-tests.ts'
import type { CompletedTrial } from './trial.ts'

export function firstProofMove(): ProofMove {
  const progress: ProofProgress = {
    proofStep: { is: 'sort' },
    classification: null,
    needed: null,
    countingGates: [],
    gateMs: {},
    testsAtBase: null,
    tests: null,
    stepResults: [],
    pendingMs: 0,
  }
  return { is: 'sort', progress, say: null }
}

export function nextProofMove(progress: ProofProgress, answer: ProofStepAnswer, by: ProofInput): ProofMove {
  if (answer.is === 'sorted') return afterClassification(progress, answer.classification, by)
  if (answer.is === 'looked') return afterFinalTree(progress, answer.changed, by)
  const { trial } = answer
  if (trial.is === 'room-failed') return { is: 'room-failed', why: trial.why, progress, say: null }
  return advanceAfterTrial(progress, trial, by)
}

function advanceAfterTrial(progress: ProofProgress, trial: CompletedTrial, by: ProofInput): ProofMove {
  const { proofStep } = progress
  switch (proofStep.is) {
    case 'room':
      return afterCleanRoom(progress, { proofStep, trial }, by)
    case 'ignored':
      return afterIgnoredTrial(progress, { proofStep, trial }, by)
    case 'base':
      return afterBaseTrial(progress, { proofStep, trial }, by)
    case 'original-tests':
      return afterOriginalTests(progress, { proofStep, trial }, by)
    case 'needed':
      return afterSearchTrial(progress, { proofStep, trial }, by)
    case 'source-loaded':
      return afterSourceLoaded(progress, { proofStep, trial }, by)
    case 'expects':
      return afterAssertions(progress, { proofStep, trial }, by)
    case 'mutation':
      return afterMutation(progress, { proofStep, trial }, by)
    // No trial runs at this step; if a result comes all the same, the proof continues from here.
    case 'sort':
    case 'final-tree':
      return { is: 'look', progress: { ...progress, proofStep: { is: 'final-tree' } }, say: null }
    default:
      return assertNever(proofStep)
  }
}
