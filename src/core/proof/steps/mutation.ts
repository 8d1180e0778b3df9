/**
 * Steps *gates load the changed files*, *mutation* and *assertions*: each breaks something on purpose, which the
 * gates must notice.
 */
import type { Millis } from '../../ids.ts'
import type { Gate } from '../evidence.ts'
import {
  requireClassification,
  type ProofInput,
  type ProofProgress,
  type ProofMove,
  type ProofStep,
  type ProtectedVersion,
} from '../proof-types.ts'
import { rangeMembers } from '../needed-changes-search.ts'
import { PURPOSE_TITLES, failedGateIn, type MutationKind } from '../trial.ts'
import { joinNames, withStepResult, withSkippedStep, withTrialTime, type StepTrial } from './step-result.ts'
import { beginFinalTree, unapprovedChanges, unprovenMove } from './final-tree.ts'

// Do the gates load the changed files?

export function beginSourceLoaded(progress: ProofProgress, by: ProofInput): ProofMove {
  const { work, documents, breakableCount } = requireClassification(progress)
  if (progress.tests === 0) return noTestsMove(progress)
  // No source could be broken, but the gates are green because of some other file: a person is asked about it.
  if (breakableCount === 0 && unapprovedChanges(progress) !== null)
    return beginFinalTree(withSkippedStep(progress, 'source-loaded', 'no changed file to break'))
  if (work > 0 && work === documents) {
    return unprovenMove(progress, { why: 'only documents changed, and no gate reads them', tell: null })
  }
  if (breakableCount === 0) {
    return unprovenMove(progress, {
      why: 'the change contains only tests, config and files that no gate loads, so the gates prove nothing about it',
      tell: null,
    })
  }
  return tryBroken(progress, { is: 'source-loaded', on: firstProtectedVersion(progress), first: false }, by)
}

/** If no protected file changed, the original tests are the completion's own. */
function firstProtectedVersion(progress: ProofProgress): ProtectedVersion {
  return requireClassification(progress).protectedFiles === 0 ? 'final' : 'original-tests'
}

type Breaking = Extract<ProofStep, { is: 'source-loaded' | 'mutation' | 'expects' }>

function mutationKindOf(proofStep: Breaking): MutationKind {
  if (proofStep.is === 'source-loaded') return proofStep.first ? 'source-fails-first' : 'source-fails'
  if (proofStep.is === 'mutation') return 'source-mutated'
  return proofStep.isConfirmed ? 'tests-fail' : 'assertions-mutated'
}

function tryBroken(progress: ProofProgress, proofStep: Breaking, by: ProofInput): ProofMove {
  const broken = mutationKindOf(proofStep)
  const gates = (
    proofStep.is === 'mutation' ? by.gates.filter(({ name }) => progress.countingGates.includes(name)) : by.gates
  ).map((gate) => limitTimeout(gate, progress.gateMs[gate.name] ?? 0))
  const keep = progress.needed?.changes ?? []
  return {
    is: 'try',
    progress: { ...progress, proofStep },
    trialLayout:
      proofStep.on === 'final' ? { is: 'final', broken, ignored: false } : { is: 'original-tests', broken, keep },
    gates,
    purpose: proofStep.is,
    say: null,
  }
}

/** Broken source may hang. A gate that takes several times its usual duration has noticed the change. */
const PATIENCE = 4
const PATIENCE_MIN_MS = 20_000

function limitTimeout(gate: Gate, gateMs: Millis): Gate {
  const patience = Math.max(PATIENCE_MIN_MS, gateMs * PATIENCE)
  return { ...gate, timeoutMs: gate.timeoutMs === 0 ? patience : Math.min(gate.timeoutMs, patience) }
}

export function afterSourceLoaded(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'source-loaded'>,
  by: ProofInput,
): ProofMove {
  if (failedGateIn(trial) !== null) {
    const said = PURPOSE_TITLES['source-loaded']
    const known = withStepResult(progress, { proofStep: 'source-loaded', trial, mark: 'good', said })
    return beginMutation(known, proofStep.on, by)
  }
  if (proofStep.on === 'original-tests')
    return tryBroken(withTrialTime(progress, trial), { ...proofStep, on: 'final' }, by)
  // Code that ends the test process would pass here; the step *assertions* shows it, if there are any.
  const isShown = requireClassification(progress).mutableTests > 0
  if (!proofStep.first && isShown) return tryBroken(withTrialTime(progress, trial), { ...proofStep, first: true }, by)
  const { names } = requireClassification(progress)
  return unprovenMove(
    withStepResult(progress, {
      proofStep: 'source-loaded',
      trial,
      mark: 'bad',
      said: "gates don't load the changed files",
    }),
    {
      why: 'the gates pass even if Ralph breaks the changed files on purpose',
      tell: `The gates pass even when Ralph breaks the files you changed (${joinNames(names.work)}), so they prove nothing about your work. ${fixAdvice(progress, 'Write tests that use these files, and put them where the gates find them.')}`,
    },
  )
}

/** If the gates fail with the original tests, the changed tests made them pass: that is what the agent must correct. */
function fixAdvice(progress: ProofProgress, otherwise: string): string {
  const { names } = requireClassification(progress)
  const changed = joinNames(
    rangeMembers(unapprovedChanges(progress)?.changes ?? []).flatMap((at) => names.protectedFiles[at] ?? []),
  )
  return changed === ''
    ? otherwise
    : `They pass only because you changed ${changed}: restore it, and make your work pass with it.`
}

// Do the gates notice a mistake in a changed line?

function beginMutation(progress: ProofProgress, seen: ProtectedVersion, by: ProofInput): ProofMove {
  const { isMutable } = requireClassification(progress)
  if (!isMutable)
    return beginAssertions(withSkippedStep(progress, 'mutation', 'nothing to mutate on the changed lines'), seen, by)
  if (progress.countingGates.length === 0)
    return beginAssertions(withSkippedStep(progress, 'mutation', 'no test count in the output'), seen, by)
  return tryBroken(progress, { is: 'mutation', on: seen, tried: [] }, by)
}

export function afterMutation(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'mutation'>,
  by: ProofInput,
): ProofMove {
  if (failedGateIn(trial) !== null)
    return beginAssertions(
      withStepResult(progress, {
        proofStep: 'mutation',
        trial,
        mark: 'good',
        said: 'mutation: tests catch a broken version of the change',
      }),
      proofStep.on,
      by,
    )
  const tried = [...proofStep.tried, proofStep.on]
  const other: ProtectedVersion = proofStep.on === 'final' ? 'original-tests' : 'final'
  if (requireClassification(progress).protectedFiles > 0 && !tried.includes(other))
    return tryBroken(withTrialTime(progress, trial), { is: 'mutation', on: other, tried }, by)
  return unprovenMove(
    withStepResult(progress, {
      proofStep: 'mutation',
      trial,
      mark: 'bad',
      said: 'mutation: tests miss a broken version of the change',
    }),
    {
      why: 'the tests pass even with a broken version of the change',
      tell: `The tests still pass when Ralph breaks the lines you changed (in ${joinNames(requireClassification(progress).names.work)}), so they prove nothing about them. Add tests that fail when these lines are wrong.`,
    },
  )
}

// Do the tests fail if their expected values change?

function beginAssertions(progress: ProofProgress, seen: ProtectedVersion, by: ProofInput): ProofMove {
  if (requireClassification(progress).mutableTests === 0)
    return beginFinalTree(withSkippedStep(progress, 'expects', 'no test has an expected value to change'))
  return tryBroken(progress, { is: 'expects', on: seen, isConfirmed: false }, by)
}

export function afterAssertions(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'expects'>,
  by: ProofInput,
): ProofMove {
  const isRed = failedGateIn(trial) !== null
  if (!proofStep.isConfirmed && isRed)
    return beginFinalTree(
      withStepResult(progress, {
        proofStep: 'expects',
        trial,
        mark: 'good',
        said: 'assertions: tests fail if expected values change',
      }),
    )
  if (!proofStep.isConfirmed) return tryBroken(withTrialTime(progress, trial), { ...proofStep, isConfirmed: true }, by)
  if (!isRed)
    return beginFinalTree(
      withStepResult(progress, {
        proofStep: 'expects',
        trial,
        mark: 'skipped',
        said: 'assertions: skipped (the gates run none of these tests)',
      }),
    )
  return unprovenMove(
    withStepResult(progress, {
      proofStep: 'expects',
      trial,
      mark: 'bad',
      said: 'assertions: tests pass even if expected values change',
    }),
    {
      why: 'the tests pass even with wrong expected values',
      tell: 'The tests still pass when Ralph changes their expected values: your code makes every comparison true, ends the test process early, or removes the assertions. Remove that code.',
    },
  )
}

export function noTestsMove(progress: ProofProgress): ProofMove {
  return unprovenMove(progress, {
    why: 'the gates pass but ran 0 tests',
    tell: `The gates pass because they ran 0 tests. ${fixAdvice(progress, 'Write tests that check the work, where the test runner finds them.')}`,
  })
}
