/** Step *original tests*: the gates run with the original tests and config; if they fail, which of the changes does the work need? */
import { listWithMore, plural } from '../../text/format-amounts.ts'
import {
  requireClassification,
  type ProofInput,
  type GateFailure,
  type ProofProgress,
  type ProofMove,
  type NeededChanges,
} from '../proof-types.ts'
import {
  searchAfterTrial,
  beginSearch,
  rangeMembers,
  nextSearchStep,
  type ChangeSearch,
} from '../needed-changes-search.ts'
import { PURPOSE_TITLES, failedGateIn, testCountOf, newlyWrittenFiles, type CompletedTrial } from '../trial.ts'
import { beginSourceLoaded } from './mutation.ts'
import {
  gateFailureOf,
  joinNames,
  couldBeFlaky,
  failedStepText,
  withStepResult,
  tamperingMove,
  withSkippedStep,
  withTrialTime,
  type StepTrial,
} from './step-result.ts'
import { NO_NEEDED_CHANGES, unprovenMove } from './final-tree.ts'

export function beginOriginalTests(progress: ProofProgress, by: ProofInput): ProofMove {
  const classification = requireClassification(progress)
  if (classification.protectedFiles === 0) {
    // If no protected file changed, the clean-room step already ran the original tests.
    const fewer = fewerTestsMove(progress, progress.tests)
    if (fewer !== null) return fewer
    return beginSourceLoaded(
      withSkippedStep({ ...progress, needed: NO_NEEDED_CHANGES }, 'original-tests', 'tests and config unchanged'),
      by,
    )
  }
  return tryOriginalTests(progress, by)
}

function tryOriginalTests(progress: ProofProgress, by: ProofInput, tries = 0): ProofMove {
  const { protectedFiles, names } = requireClassification(progress)
  const files = listWithMore(
    names.protectedFiles.slice(0, 3),
    protectedFiles - Math.min(3, names.protectedFiles.length),
  )
  return {
    is: 'try',
    progress: { ...progress, proofStep: { is: 'original-tests', tries } },
    trialLayout: { is: 'original-tests', broken: 'nothing', keep: [] },
    gates: by.gates,
    purpose: 'original-tests',
    say:
      tries === 0
        ? `running the gates with the original ${files}`
        : "gates fail with the original tests; retrying once in case they're flaky",
  }
}

export function afterOriginalTests(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'original-tests'>,
  by: ProofInput,
): ProofMove {
  const red = failedGateIn(trial)
  const writtenFiles = newlyWrittenFiles(trial, by.writtenAtBase)
  if (red === null && writtenFiles.length > 0)
    return tamperingMove(progress, { proofStep: 'original-tests', trial }, writtenFiles)
  if (red === null) return originalTestsPassed(progress, trial, by)
  if (couldBeFlaky(red) && proofStep.tries < by.reruns)
    return tryOriginalTests(withTrialTime(progress, trial), by, proofStep.tries + 1)
  const said = failedStepText('original-tests', red, by)
  const known = withStepResult(progress, { proofStep: 'original-tests', trial, mark: 'bad', said })
  const search = beginSearch(requireClassification(progress).protectedFiles, trial.named, by.trials)
  return continueSearch(known, { search, red: gateFailureOf(red) }, by)
}

function originalTestsPassed(progress: ProofProgress, trial: CompletedTrial, by: ProofInput): ProofMove {
  const said = 'original tests: pass'
  const known = withStepResult(progress, { proofStep: 'original-tests', trial, mark: 'good', said })
  return fewerTestsMove(known, testCountOf(trial)) ?? beginSourceLoaded({ ...known, needed: NO_NEEDED_CHANGES }, by)
}

/** Fewer tests with the original test files have no honest reason; none at all is honest only if all are new. Null: as many as before. */
function fewerTestsMove(progress: ProofProgress, ran: number | null): ProofMove | null {
  const { testsAtBase } = progress
  const { protectedFiles, protectedAdded } = requireClassification(progress)
  if (ran === 0 && protectedFiles > 0 && protectedAdded === 0) {
    return unprovenMove(progress, {
      why: 'the gates run 0 of the original tests',
      tell: 'With the original test files, the gates run 0 tests, so only your own changes to the tests check your work. Make the original tests run.',
    })
  }
  if (ran === null || testsAtBase === null || ran >= testsAtBase) return null
  return unprovenMove(progress, {
    why: `only ${ran} of the ${testsAtBase} original tests still run`,
    tell: `With the original test files, only ${ran} of ${testsAtBase} tests run: something you changed keeps the others from running. Revert that.`,
  })
}

function continueSearch(
  progress: ProofProgress,
  found: { search: ChangeSearch; red: GateFailure },
  by: ProofInput,
): ProofMove {
  const step = nextSearchStep(found.search)
  if (step.is === 'try') {
    return {
      is: 'try',
      progress: { ...progress, proofStep: { is: 'needed', ...found } },
      trialLayout: { is: 'original-tests', broken: 'nothing', keep: step.keep },
      gates: by.gates,
      purpose: 'needed',
      say: null,
    }
  }
  const needed: NeededChanges = { changes: step.files, exact: step.exact, red: found.red }
  return beginSourceLoaded({ ...addSearchResult(progress, needed, by.trials - found.search.left), needed }, by)
}

/** A single change needs no search. */
function addSearchResult(progress: ProofProgress, { changes, exact }: NeededChanges, trials: number): ProofProgress {
  if (trials === 0) return progress
  const { names } = requireClassification(progress)
  const numbers = rangeMembers(changes)
  const some = `${exact ? '' : 'one or more of '}${joinNames(numbers.map((at) => names.protectedFiles[at] ?? `change ${at + 1}`))}`
  const said = `${PURPOSE_TITLES.needed}: ${some} (${plural(trials, 'trial')})`
  return {
    ...progress,
    stepResults: [
      ...progress.stepResults,
      { proofStep: 'needed', mark: 'warning', said, durationMs: progress.pendingMs },
    ],
    pendingMs: 0,
  }
}

export function afterSearchTrial(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'needed'>,
  by: ProofInput,
): ProofMove {
  const search = searchAfterTrial(proofStep.search, failedGateIn(trial) === null)
  return continueSearch(withTrialTime(progress, trial), { search, red: proofStep.red }, by)
}
