/** A trial: the gates run once in the clean room, on one arrangement of files. Each proof step of the proof is one or more of them. */
import type { Millis, TreeHash } from '../ids.ts'
import type { Evidence, GateRunPurpose, TrialPurpose } from './evidence.ts'
import { assertNever } from '../assert-never.ts'
import type { Range } from './needed-changes-search.ts'
import { passesExceptQuarantined } from './verdict.ts'

/** The files of a clean room. */
export type TrialLayout =
  | { is: 'base' }
  /** The completion as it is. `ignored`: with the ignored files of the working tree. */
  | { is: 'final'; broken: MutationKind; ignored: boolean }
  /** The completion with every change of the protected files reverted but these. */
  | { is: 'original-tests'; broken: MutationKind; keep: Range[] }

/**
 * Nothing is broken; the changed source files fail when they are loaded, or have their changed lines mutated; the tests have mutated
 * assertions, or fail.
 */
export type MutationKind =
  | 'nothing'
  | 'source-fails'
  | 'source-fails-first'
  | 'source-mutated'
  | 'assertions-mutated'
  | 'tests-fail'

/** What the clean room takes from the project's folder. Each level includes those before it. */
export type SharedToolsLevel = (typeof SHARED_TOOLS_LEVELS)[number]
export const SHARED_TOOLS_LEVELS = ['nothing', 'tools', 'ignored', 'neighbours'] as const

export type TrialResult = { durationMs: Millis } & (
  | {
      is: 'ran'
      /** In the order of the gates, up to the first that failed. */
      results: Evidence[]
      /** Changes of the protected files that the failing output names: a search begins there. */
      named: number[]
      /** Names of what else was shared: the first few. */
      sharedPaths: string[]
      /** Protected files and tools that something changed while the gates ran: the first few. */
      writtenFiles: string[]
      /** Quarantined names that no file of the base has, so that the clean room could not leave them out. */
      unremovableTests: string[]
    }
  /** The clean room could not be made, filled or set up: nothing was tried. */
  | { is: 'room-failed'; why: string }
)

/** The name of each trial on screens. */
export const PURPOSE_TITLES: Record<TrialPurpose, string> = {
  'clean-room-check': 'clean-room check',
  room: 'clean room',
  base: 'tests before the change',
  ignored: 'clean room with ignored files',
  'original-tests': 'original tests',
  needed: 'needed test or config changes',
  'source-loaded': 'gates load the changed files',
  mutation: 'mutation',
  expects: 'assertions',
}

/** What a completion changed since the base. The lists themselves are in a file beside the logs: they may be long. */
export interface ClassifiedChangesSummary {
  file: string
  hash: string
  /** The completion's tree and plan, as the tree archive keeps them, and its commits, branches and tags as one hash. */
  final: TreeHash
  plan: string | null
  refs: string | null
  /** How many source files changed; of them documents, and those that can be broken on purpose. */
  work: number
  documents: number
  breakableCount: number
  /** Whether something on the changed lines can be mutated. */
  isMutable: boolean
  /** Tests whose assertions can be mutated. */
  mutableTests: number
  /** Changes of the protected files that can be reverted: numbered from 0 in the file. */
  protectedFiles: number
  /** How many of them are new files. */
  protectedAdded: number
  /** How many of them somebody allowed beforehand; these come first. */
  allowedCount: number
  /** Changes that no trial can revert, so that a person has to look. */
  unclear: { path: string; why: string }[]
  /** Checkboxes that were open at the base and are neither ticked nor there. */
  droppedCheckboxes: string[]
  /** Which protected changes are test files. Absent: unknown. */
  testFiles?: Range[]
  /** For people: the first few of each, those of the protected files by their numbers. */
  names: { work: string[]; protectedFiles: string[] }
  /** What somebody might wonder about: skipped tests, early returns, code that checks whether a test is running. */
  notes: string[]
}

export type CompletedTrial = Extract<TrialResult, { is: 'ran' }>

/** The clean room has no quarantined tests, so a gate passes there or it fails. */
export function failedGateIn({ results, unremovableTests }: CompletedTrial): Evidence | null {
  return results.find((one) => !passesExceptQuarantined(one, unremovableTests)) ?? null
}

/** Files that changed while the gates ran and did not at the base: no honest work does that. */
export function newlyWrittenFiles({ writtenFiles }: CompletedTrial, afterBaseTrial: readonly string[]): string[] {
  const known = new Set(afterBaseTrial)
  return writtenFiles.filter((path) => !known.has(path))
}

/** How many tests ran; null: no gate prints a count. */
export function testCountOf({ results }: CompletedTrial): number | null {
  const told = results.map(({ tests }) => tests).filter((one) => one !== null)
  return told.length === 0 ? null : told.reduce((sum, one) => sum + one, 0)
}

/** Which trial in the clean room it was, or that the gate ran in the working tree. */
export function describePurpose(purpose: GateRunPurpose): string {
  switch (purpose) {
    case 'baseline':
      return 'baseline'
    case 'completion':
      return 'working tree'
    case 'clean-room-check':
    case 'room':
    case 'base':
    case 'ignored':
    case 'original-tests':
    case 'needed':
    case 'source-loaded':
    case 'mutation':
    case 'expects':
      return PURPOSE_TITLES[purpose]
    default:
      return assertNever(purpose)
  }
}
