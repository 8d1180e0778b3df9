/** Step *clean room*: the completion as it is, in the clean room; and why it fails there, if it does. */
import { plural } from '../../text/format-amounts.ts'
import { BASE_LOST_REASON, ENTIRE_TREE } from '../acceptance.ts'
import { requireClassification, type ProofInput, type ProofProgress, type ProofMove } from '../proof-types.ts'
import { failedGateIn, testCountOf, newlyWrittenFiles, type ClassifiedChangesSummary } from '../trial.ts'
import { noTestsMove } from './mutation.ts'
import {
  gateFailureOf,
  MAX_LISTED_NAMES,
  joinNames,
  couldBeFlaky,
  failedStepText,
  withStepResult,
  tamperingMove,
  withTrialTime,
  type StepTrial,
} from './step-result.ts'
import { beginOriginalTests } from './original-tests.ts'

export function afterClassification(
  progress: ProofProgress,
  classification: ClassifiedChangesSummary,
  by: ProofInput,
): ProofMove {
  const known = { ...progress, classification: markLostBase(classification, by) }
  if (classification.droppedCheckboxes.length > 0) return rejectLostCheckboxes(known, classification.droppedCheckboxes)
  if (classification.work + classification.protectedFiles + known.classification.unclear.length === 0)
    return nothingChangedMove(known, by)
  return beginCleanRoomTrial(known, by)
}

/** An unproven base (`lost`) is itself a change that no trial can revert. */
function markLostBase(classification: ClassifiedChangesSummary, { base }: ProofInput): ClassifiedChangesSummary {
  if (base.from !== 'lost') return classification
  return { ...classification, unclear: [{ path: ENTIRE_TREE, why: BASE_LOST_REASON }, ...classification.unclear] }
}

function rejectLostCheckboxes(progress: ProofProgress, checkboxes: string[]): ProofMove {
  const list = checkboxes.map((checkbox) => `- ${checkbox}`).join('\n')
  return {
    is: 'refused',
    progress,
    say: null,
    verdict: 'failed',
    why: `${plural(checkboxes.length, 'open item')} disappeared from the plan: ${checkboxes.slice(0, 3).join('; ')}`,
    tell: `These items were open and are no longer in the plan, or are under an optional heading now. Restore them and do the work:\n${list}`,
    lines: [
      'Restore these items in the plan:',
      ...checkboxes.slice(0, MAX_LISTED_NAMES).map((checkbox) => `- [ ] ${checkbox}`),
    ],
  }
}

/** A claim without any change is rejected; a verification of an unchanged tree reports that its earlier proof still holds, if there is one. */
function nothingChangedMove(progress: ProofProgress, { base, about, testsAtBase }: ProofInput): ProofMove {
  const still = { progress: { ...progress, tests: testsAtBase }, say: null }
  const since = base.from === 'first' ? 'since the work began' : `since the last ${base.from} state`
  const why = `nothing has changed ${since}${base.from === 'first' ? ', so the gates prove nothing' : ''}`
  if (about === 'work') {
    const tell = 'Nothing has changed since the work began. Do the work before you say that it is done.'
    return { is: 'unproven', why, tell, ...still }
  }
  if (base.from === 'first') return { is: 'unproven', why, tell: null, ...still }
  if (about === 'state') return { is: 'proven', why, ...still }
  return {
    is: 'unproven',
    why: `only you changed files ${since}; to check your changes: ralph verify --since REF`,
    tell: null,
    ...still,
  }
}

function beginCleanRoomTrial(progress: ProofProgress, by: ProofInput, tries = 0): ProofMove {
  return {
    is: 'try',
    progress: { ...progress, proofStep: { is: 'room', tries } },
    trialLayout: { is: 'final', broken: 'nothing', ignored: false },
    gates: by.gates,
    purpose: 'room',
    say: tries === 0 ? null : 'gates fail in the clean room; retrying in case they are flaky',
  }
}

export function afterCleanRoom(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'room'>,
  by: ProofInput,
): ProofMove {
  const red = failedGateIn(trial)
  const writtenFiles = newlyWrittenFiles(trial, by.writtenAtBase)
  if (red === null && writtenFiles.length > 0)
    return tamperingMove(progress, { proofStep: 'room', trial }, writtenFiles)
  if (red !== null) {
    if (couldBeFlaky(red) && proofStep.tries < by.reruns)
      return beginCleanRoomTrial(withTrialTime(progress, trial), by, proofStep.tries + 1)
    return {
      is: 'try',
      progress: withStepResult(
        { ...progress, proofStep: { is: 'ignored', red: gateFailureOf(red) } },
        { proofStep: 'room', trial, mark: 'bad', said: failedStepText('room', red, by) },
      ),
      trialLayout: { is: 'final', broken: 'nothing', ignored: true },
      gates: by.gates,
      purpose: 'ignored',
      say: 'gates pass in the working tree and fail in the clean room; retrying with the ignored files',
    }
  }
  const countingGates = trial.results.filter(({ tests }) => tests !== null).map(({ gate }) => gate)
  const passed = withStepResult(
    {
      ...progress,
      countingGates,
      tests: testCountOf(trial),
      gateMs: Object.fromEntries(trial.results.map(({ gate, durationMs }) => [gate, durationMs])),
    },
    proofStep.tries === 0
      ? { proofStep: 'room', trial, mark: 'good', said: 'clean room: pass' }
      : { proofStep: 'room', trial, mark: 'warning', said: 'clean room: pass after a failure (flaky?)' },
  )
  // If protected files changed, that may be the cause: a person is asked about the change.
  if (passed.tests === 0 && requireClassification(progress).protectedFiles === 0) return noTestsMove(passed)
  const counted = { ...passed, testsAtBase: by.testsAtBase }
  if (by.testsAtBase === null && countingGates.length > 0) return countAtBase(counted, by)
  return beginOriginalTests(counted, by)
}

/** A person moved the base since tests were last counted in the clean room. */
function countAtBase(progress: ProofProgress, by: ProofInput): ProofMove {
  return {
    is: 'try',
    progress: { ...progress, proofStep: { is: 'base' } },
    trialLayout: { is: 'base' },
    gates: by.gates.filter(({ name }) => progress.countingGates.includes(name)),
    purpose: 'base',
    say: null,
  }
}

export function afterBaseTrial(progress: ProofProgress, { trial }: StepTrial<'base'>, by: ProofInput): ProofMove {
  const testsAtBase = testCountOf(trial)
  const result =
    testsAtBase === null
      ? ({ mark: 'skipped', said: 'tests before the change: no test count in the output' } as const)
      : ({ mark: 'good', said: `tests before the change: ${testsAtBase} ran` } as const)
  const known = withStepResult(progress, { proofStep: 'base', trial, ...result })
  return beginOriginalTests({ ...known, testsAtBase }, by)
}

/** Why the gates fail in the clean room: the ignored files, or something else. */
export function afterIgnoredTrial(
  progress: ProofProgress,
  { proofStep, trial }: StepTrial<'ignored'>,
  by: ProofInput,
): ProofMove {
  const { red } = proofStep
  const failed = failedGateIn(trial)
  if (failed === null) {
    const said = 'clean room with ignored files: pass'
    const known = withStepResult(progress, { proofStep: 'ignored', trial, mark: 'warning', said })
    const why = `the gates pass only with ignored files: ${joinNames(trial.sharedPaths)}`
    return {
      is: 'accept',
      progress: known,
      say: null,
      why,
      needed: { changes: [], exact: true, red },
      ignored: trial.sharedPaths,
      tell: null,
    }
  }
  return {
    is: 'refused',
    progress: withStepResult(progress, {
      proofStep: 'ignored',
      trial,
      mark: 'bad',
      said: failedStepText('ignored', failed, by),
    }),
    say: null,
    verdict: 'failed',
    why: `gates pass in the working tree but fail in the clean room: ${red.why}`,
    tell: `The gates pass in the working tree, but fail in a clean copy of the same files: ${red.why}. ${red.lines}\nYour work must not depend on anything outside the project's own files: caches, ignored files, running processes, settings of this machine.`,
    lines: red.lines.split('\n').filter((line) => line.trim() !== ''),
  }
}
