/** A trial: the gates run once in the clean room, on one arrangement of files. Each rung of the ladder is one or more of them. */
import type { Millis, TreeHash } from '../ids.ts'
import type { Evidence, Purpose, RoomPurpose } from './evidence.ts'
import { never } from '../machine.ts'
import type { Range } from './search.ts'
import { counts } from './verdict.ts'

/** What lies in the room. */
export type Arrangement =
  | { is: 'base' }
  /** The completion as it stands. `ignored`: with what git ignores in the working tree today. */
  | { is: 'final'; broken: Broken; ignored: boolean }
  /** The completion with every change of the judge put back but these. */
  | { is: 'old-judge'; broken: Broken; keep: Range[] }

/**
 * Nothing broken; the changed work files made to fail when they are loaded, or with their changed lines made wrong; the tests with their
 * expectations made wrong, or made to fail.
 */
export type Broken =
  | 'nothing'
  | 'work-fails'
  | 'work-fails-first'
  | 'work-wrong'
  | 'tests-wrong'
  | 'tests-fail'

/** What the room takes from where the project lies, each step with all that stands before it. */
export type Lend = (typeof LENDS)[number]
export const LENDS = ['nothing', 'tools', 'ignored', 'neighbours'] as const

export type Trial = { durationMs: Millis } & (
  | {
      is: 'ran'
      /** In the order of the gates, up to the first that is red. */
      results: Evidence[]
      /** Changes of the judge that the failing output names: where a search begins. */
      named: number[]
      /** What was lent besides, by name: the first few. */
      lent: string[]
      /** Files of the judge, and tools, that something changed while the gates ran: the first few. */
      wrote: string[]
      /** Quarantined names that no file of the base has, so that they could not be taken out of the room. */
      excused: string[]
    }
  /** The room could not be made, filled or set up: nothing was tried. */
  | { is: 'room-failed'; why: string }
)

/** What a trial is about, in words. */
export const PURPOSES: Record<RoomPurpose, string> = {
  fitness: 'is the clean room fit?',
  room: 'clean room',
  base: 'tests at the base',
  ignored: 'clean room with ignored files',
  'old-judge': 'judge as it was',
  needed: 'changes of the judge that are needed',
  looks: 'work made to fail',
  mistake: 'change made wrong',
  expects: 'expectations made wrong',
}

/** What a completion changed since the base. The lists themselves are in a file beside the logs: they may be long. */
export interface Sorting {
  file: string
  hash: string
  /** The completion's tree and plan, as the witness keeps them, and its commits, branches and tags as one hash. */
  final: TreeHash
  plan: string | null
  refs: string | null
  /** How many files of the work changed; of them documents, and those that can be made to fail. */
  work: number
  documents: number
  breakable: number
  /** Whether something on the changed lines can be made wrong. */
  wrongable: boolean
  /** Tests whose expectations can be made wrong. */
  testable: number
  /** Changes of the judge that can be put back: numbered from 0 in the file. */
  judge: number
  /** How many of them are new files. */
  judgeAdded: number
  /** Those that somebody allowed beforehand come first: so many of them. */
  permitted: number
  /** Changes that no trial can put back, so that a person has to look. */
  unclear: { path: string; why: string }[]
  /** Boxes that were open at the base and are neither ticked nor there. */
  lostBoxes: string[]
  /** For people: the first few of each, those of the judge by their numbers. */
  names: { work: string[]; judge: string[] }
  /** What somebody might wonder about: skipped tests, early returns, code that asks whether a test is running. */
  notes: string[]
}

export type Ran = Extract<Trial, { is: 'ran' }>

/** Quarantined tests were taken out of the room, so a gate is green there or it is not. */
export function redIn({ results, excused }: Ran): Evidence | null {
  return results.find((one) => !counts(one, excused)) ?? null
}

/** What changed while the gates ran and did not at the base: no honest work does that. */
export function wroteAnew({ wrote }: Ran, atBase: readonly string[]): string[] {
  const known = new Set(atBase)
  return wrote.filter((path) => !known.has(path))
}

/** How many tests ran; null: no gate tells. */
export function testsIn({ results }: Ran): number | null {
  const told = results.map(({ tests }) => tests).filter((one) => one !== null)
  return told.length === 0 ? null : told.reduce((sum, one) => sum + one, 0)
}

/** Where the work was made, or which trial in the clean room it was. */
export function purposeWords(purpose: Purpose): string {
  switch (purpose) {
    case 'baseline':
      return 'before the first iteration'
    case 'completion':
      return 'on the claim'
    case 'fitness':
    case 'room':
    case 'base':
    case 'ignored':
    case 'old-judge':
    case 'needed':
    case 'looks':
    case 'mistake':
    case 'expects':
      return PURPOSES[purpose]
    default:
      return never(purpose)
  }
}
