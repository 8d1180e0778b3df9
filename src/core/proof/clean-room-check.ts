/**
 * Whether gates can run in the clean room, checked before the first agent call: on the base they must give the same result as in the
 * working tree: both pass, or fail in the same way. Outputs are not compared, because times differ. If not, more is shared step by step.
 */
import type { TreeHash } from '../ids.ts'
import type { Evidence } from './evidence.ts'
import { SHARED_TOOLS_LEVELS, testCountOf, type SharedToolsLevel, type TrialResult } from './trial.ts'
import { passesExceptQuarantined, describeGateFailure, sameNames, type Baseline } from './verdict.ts'

export type CleanRoomCheckResult =
  | {
      is: 'fit'
      sharedTools: SharedToolsLevel
      /** How many tests ran at the base; null: no gate tells. */
      tests: number | null
      /** Of which base that was. */
      base: TreeHash
      /** What the gates write over as they run. */
      writtenFiles: string[]
    }
  | { is: 'clean-room-unusable'; why: string }

/** What the check starts with. */
export interface CleanRoomCheckInput {
  /** As an earlier run found it. */
  known: CleanRoomCheckResult | null
  sharedTools: SharedToolsLevel
  /** The tree that the baseline runs on, as the tree archive keeps it: the base, or what earlier runs made of it. */
  now: TreeHash
}

/** What helps if the check fails: shown before the first agent call, and at the end. */
export const CLEAN_ROOM_HINTS =
  'Fix it with proof.setup (a command that installs the tools), workspace.copy (ignored files the gates need), or proof.level = "quick" (gates only).'

export function evaluateCleanRoomTrial(
  trial: TrialResult,
  { sharedTools, baseline, base }: { sharedTools: SharedToolsLevel; baseline: Baseline; base: TreeHash },
): CleanRoomCheckResult {
  if (trial.is === 'room-failed') return { is: 'clean-room-unusable', why: trial.why }
  const odd = trial.results.find((one) => !isAsBefore(one, baseline[one.gate], trial.unremovableTests))
  if (odd !== undefined)
    return { is: 'clean-room-unusable', why: describeDifference(odd, baseline[odd.gate]?.passed ?? true) }
  return { is: 'fit', sharedTools, tests: testCountOf(trial), base, writtenFiles: trial.writtenFiles }
}

function isAsBefore(one: Evidence, before: Baseline[string] | undefined, unremovableTests: string[]): boolean {
  // Without a baseline the result of the clean room counts.
  if (before === undefined) return true
  if (before.passed) return passesExceptQuarantined(one, unremovableTests)
  if (passesExceptQuarantined(one, unremovableTests)) return false
  return before.exit === one.exit && sameNames(before.failing, one.failing)
}

function describeDifference(one: Evidence, wasGreen: boolean): string {
  if (!wasGreen && one.exit === 0) return `${one.gate} fails in the working tree and passes in the clean room`
  const lines = one.summary.trim().split('\n').slice(0, 5).join('\n')
  return `${describeGateFailure(one)} in the clean room${wasGreen ? ', but passes in the working tree' : ', differently than in the working tree'}${lines === '' ? '' : `:\n${lines}`}`
}

/** The next step, or null when all has been shared. */
export function nextSharedToolsLevel(sharedTools: SharedToolsLevel): SharedToolsLevel | null {
  return SHARED_TOOLS_LEVELS[SHARED_TOOLS_LEVELS.indexOf(sharedTools) + 1] ?? null
}
