/** Step *original tests*: the protected files as they were, and if that is red, which of their changes the work needs. */
import { count } from '../../text/format-amounts.ts'
import {
  classificationOf,
  type ProofInput,
  type GateFailure,
  type ProofSteps,
  type ProofMove,
  type NeededChanges,
} from '../proof-step.ts'
import {
  searchAfterTrial,
  beginSearch,
  membersOf,
  searchStep,
  type Search,
} from '../needed-changes-search.ts'
import { failedGateIn, testCountOf, newlyWritten, type CompletedTrial } from '../trial.ts'
import { describeFailure } from '../verdict.ts'
import { beginSourceLoaded } from './mutation.ts'
import {
  gateFailureOf,
  joinNames,
  couldBeFlaky,
  withStepResult,
  rejectTampering,
  withSkippedStep,
  withTrialTime,
  type StepTrial,
} from './step-result.ts'
import { NOTHING_NEEDED, unprovenMove } from './final-tree.ts'

export function beginOriginalTests(progress: ProofSteps, by: ProofInput): ProofMove {
  const classification = classificationOf(progress)
  if (classification.judge === 0) {
    // If no protected file changed, the clean-room step already ran the original tests.
    const fewer = fewerTests(progress, progress.tests)
    if (fewer !== null) return fewer
    return beginSourceLoaded(
      withSkippedStep(
        { ...progress, needed: NOTHING_NEEDED },
        'original-tests',
        'nothing of the judge has changed',
      ),
      by,
    )
  }
  return tryOriginalTests(progress, by)
}

function tryOriginalTests(progress: ProofSteps, by: ProofInput, tries = 0): ProofMove {
  const { judge, names } = classificationOf(progress)
  return {
    is: 'try',
    progress: { ...progress, proofStep: { is: 'original-tests', tries } },
    trialLayout: { is: 'original-tests', broken: 'nothing', keep: [] },
    gates: by.gates,
    purpose: 'original-tests',
    say:
      tries === 0
        ? `${count(judge, 'change')} of tests, configuration and the like put back (${joinNames(names.judge)}): do the gates still pass?`
        : 'the gates were red with the old judge; they are run again',
  }
}

export function afterOriginalTests(
  progress: ProofSteps,
  { proofStep, trial }: StepTrial<'original-tests'>,
  by: ProofInput,
): ProofMove {
  const red = failedGateIn(trial)
  const writtenFiles = newlyWritten(trial, by.writtenAtBase)
  if (red === null && writtenFiles.length > 0)
    return rejectTampering(progress, { proofStep: 'original-tests', trial }, writtenFiles)
  if (red === null) return harmless(progress, trial, by)
  if (couldBeFlaky(red) && proofStep.tries < by.reruns)
    return tryOriginalTests(withTrialTime(progress, trial), by, proofStep.tries + 1)
  const known = withStepResult(
    progress,
    { proofStep: 'original-tests', trial },
    `red: ${describeFailure(red)}`,
  )
  const search = beginSearch(classificationOf(progress).judge, trial.named, by.trials)
  return searchOn(known, { search, red: gateFailureOf(red) }, by)
}

function harmless(progress: ProofSteps, trial: CompletedTrial, by: ProofInput): ProofMove {
  const known = withStepResult(
    progress,
    { proofStep: 'original-tests', trial },
    'green: every change of the judge is harmless',
  )
  return fewerTests(known, testCountOf(trial)) ?? beginSourceLoaded({ ...known, needed: NOTHING_NEEDED }, by)
}

/** Fewer tests with the original test files have no honest reason; none at all is honest only if all are new. Null: as many as before. */
function fewerTests(progress: ProofSteps, ran: number | null): ProofMove | null {
  const { testsAtBase } = progress
  const { judge, protectedAdded } = classificationOf(progress)
  if (ran === 0 && judge > 0 && protectedAdded === 0) {
    return unprovenMove(progress, {
      why: 'with the judge as it was the gates run 0 tests',
      tell: 'With the tests as they were, the gates run none of them, so only what you changed in them judges your work. Make them run.',
    })
  }
  if (ran === null || testsAtBase === null || ran >= testsAtBase) return null
  return unprovenMove(progress, {
    why: `with the judge as it was only ${ran} of ${testsAtBase} tests run`,
    tell: `With the tests as they were, only ${ran} of ${testsAtBase} run: something in the work keeps them from running. Undo that.`,
  })
}

function searchOn(
  progress: ProofSteps,
  found: { search: Search; red: GateFailure },
  by: ProofInput,
): ProofMove {
  const step = searchStep(found.search)
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
  return beginSourceLoaded({ ...toldSearch(progress, needed, by.trials - found.search.left), needed }, by)
}

/** A single change needs no search. */
function toldSearch(progress: ProofSteps, { changes, exact }: NeededChanges, trials: number): ProofSteps {
  if (trials === 0) return progress
  const { names } = classificationOf(progress)
  const numbers = membersOf(changes)
  const some = `${exact ? '' : 'one or more of '}${joinNames(numbers.map((at) => names.judge[at] ?? `change ${at + 1}`))}`
  const said = `${some}, found in ${count(trials, 'trial')}`
  return {
    ...progress,
    stepResults: [...progress.stepResults, { proofStep: 'needed', said, durationMs: progress.pendingMs }],
    pendingMs: 0,
  }
}

export function afterSearchTrial(
  progress: ProofSteps,
  { proofStep, trial }: StepTrial<'needed'>,
  by: ProofInput,
): ProofMove {
  const search = searchAfterTrial(proofStep.search, failedGateIn(trial) === null)
  return searchOn(withTrialTime(progress, trial), { search, red: proofStep.red }, by)
}
