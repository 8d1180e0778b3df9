/** A trial: the gates run once in the clean room, on one arrangement of files. Each proof step of the proof is one or more of them. */
import type { Millis, TreeHash } from '../ids.ts'
import type { Evidence, GateRunPurpose, TrialPurpose } from './evidence.ts'
import { assertNever } from '../assert-never.ts'
import type { Range } from './needed-changes-search.ts'
import { passesExceptQuarantined } from './verdict.ts'

/** What lies in the clean room. */
export type TrialLayout =
  | { is: 'base' }
  /** The completion as it stands. `ignored`: with what git ignores in the working tree today. */
  | { is: 'final'; broken: MutationKind; ignored: boolean }
  /** The completion with every change of the protected files reverted but these. */
  | { is: 'original-tests'; broken: MutationKind; keep: Range[] }

/**
 * Nothing broken; the changed work files made to fail when they are loaded, or with their changed lines made wrong; the tests with their
 * expectations made wrong, or made to fail.
 */
export type MutationKind =
  | 'nothing'
  | 'source-fails'
  | 'source-fails-first'
  | 'source-mutated'
  | 'assertions-mutated'
  | 'tests-fail'

/** What the clean room takes from where the project lies, each step with all that stands before it. */
export type SharedToolsLevel = (typeof SHARED_TOOLS_LEVELS)[number]
export const SHARED_TOOLS_LEVELS = ['nothing', 'tools', 'ignored', 'neighbours'] as const

export type TrialResult = { durationMs: Millis } & (
  | {
      is: 'ran'
      /** In the order of the gates, up to the first that is red. */
      results: Evidence[]
      /** Changes of the protected files that the failing output names: where a search begins. */
      named: number[]
      /** What was shared besides, by name: the first few. */
      sharedPaths: string[]
      /** Files of the protected files, and tools, that something changed while the gates ran: the first few. */
      writtenFiles: string[]
      /** Quarantined names that no file of the base has, so that they could not be taken out of the clean room. */
      unremovableTests: string[]
    }
  /** The clean room could not be made, filled or set up: nothing was tried. */
  | { is: 'room-failed'; why: string }
)

/** What a trial is about, in words. */
export const PURPOSE_TITLES: Record<TrialPurpose, string> = {
  'clean-room-check': 'is the clean room fit?',
  room: 'clean room',
  base: 'tests at the base',
  ignored: 'clean room with ignored files',
  'original-tests': 'judge as it was',
  needed: 'changes of the judge that are needed',
  'source-loaded': 'work made to fail',
  mutation: 'change made wrong',
  expects: 'expectations made wrong',
}

/** What a completion changed since the base. The lists themselves are in a file beside the logs: they may be long. */
export interface ClassifiedChangesSummary {
  file: string
  hash: string
  /** The completion's tree and plan, as the tree archive keeps them, and its commits, branches and tags as one hash. */
  final: TreeHash
  plan: string | null
  refs: string | null
  /** How many files of the work changed; of them documents, and those that can be made to fail. */
  work: number
  documents: number
  breakableCount: number
  /** Whether something on the changed lines can be made wrong. */
  isMutable: boolean
  /** Tests whose expectations can be made wrong. */
  mutableTests: number
  /** Changes of the protected files that can be reverted: numbered from 0 in the file. */
  protectedFiles: number
  /** How many of them are new files. */
  protectedAdded: number
  /** Those that somebody allowed beforehand come first: so many of them. */
  allowedCount: number
  /** Changes that no trial can reverted, so that a person has to look. */
  unclear: { path: string; why: string }[]
  /** Boxes that were open at the base and are neither ticked nor there. */
  droppedCheckboxes: string[]
  /** For people: the first few of each, those of the protected files by their numbers. */
  names: { work: string[]; protectedFiles: string[] }
  /** What somebody might wonder about: skipped tests, early returns, code that asks whether a test is running. */
  notes: string[]
}

export type CompletedTrial = Extract<TrialResult, { is: 'ran' }>

/** Quarantined tests were taken out of the clean room, so a gate is green there or it is not. */
export function failedGateIn({ results, unremovableTests }: CompletedTrial): Evidence | null {
  return results.find((one) => !passesExceptQuarantined(one, unremovableTests)) ?? null
}

/** What changed while the gates ran and did not at the base: no honest work does that. */
export function newlyWrittenFiles({ writtenFiles }: CompletedTrial, afterBaseTrial: readonly string[]): string[] {
  const known = new Set(afterBaseTrial)
  return writtenFiles.filter((path) => !known.has(path))
}

/** How many tests ran; null: no gate tells. */
export function testCountOf({ results }: CompletedTrial): number | null {
  const told = results.map(({ tests }) => tests).filter((one) => one !== null)
  return told.length === 0 ? null : told.reduce((sum, one) => sum + one, 0)
}

/** Where the work was made, or which trial in the clean room it was. */
export function describePurpose(purpose: GateRunPurpose): string {
  switch (purpose) {
    case 'baseline':
      return 'before the first iteration'
    case 'completion':
      return 'on the claim'
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
