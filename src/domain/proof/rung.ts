/**
 * The words of the ladder: where a completion stands on it, what it goes by, what it is told and what it says next. The rules are in
 * `ladder.ts` and, rung by rung, in `rungs/`.
 */
import type { Millis } from '../ids.ts'
import type { Base } from './base.ts'
import type { Gate, RoomPurpose, Verdict } from './evidence.ts'
import type { Range, Search } from './search.ts'
import type { Arrangement, Sorting, Trial } from './trial.ts'

export interface Ladder {
  rung: Rung
  sorting: Sorting | null
  /** Changes of the judge that the work needs. Null: not known yet. */
  needed: Needed | null
  /** Gates that tell how many tests they run. */
  telling: string[]
  /** How long each gate took on the completion as it stands. */
  tookMs: Record<string, Millis>
  /** Tests that ran at the base; null: nobody told. */
  testsAtBase: number | null
  /** Tests that ran on the completion as it stands; null: no gate tells, or not tried yet. */
  tests: number | null
  /** What each rung showed so far, one line each. */
  climbed: Climbed[]
  /** Spent on trials of the present rung that decided nothing yet. */
  pendingMs: Millis
}

export type Rung =
  | { is: 'sort' }
  | { is: 'room'; tries: number }
  | { is: 'ignored'; red: Failing }
  | { is: 'base' }
  | { is: 'old-judge'; tries: number }
  | { is: 'needed'; search: Search; red: Failing }
  /** `first`: the work fails before its own statements, not after them: a program may well end itself. */
  | { is: 'looks'; on: Side; first: boolean }
  | { is: 'mistake'; on: Side; tried: Side[] }
  /** `isSure`: the gates were green with wrong expectations; do they run these tests at all? */
  | { is: 'expects'; on: Side; isSure: boolean }
  | { is: 'last-look' }

/** The judge as it was, or the completion's own. */
export type Side = 'old-judge' | 'final'

export interface Needed {
  changes: Range[]
  /** False: the search was cut short, so it is one or more of these. */
  exact: boolean
  /** What the gates say without them. */
  red: Failing | null
  /** Why the gates prove nothing even with them; absent: they do. */
  blind?: string
}

/** As much of a red gate as a person or an agent wants to read. */
export interface Failing {
  why: string
  lines: string
}

export interface Climbed {
  rung: RungName
  /** In one sentence. */
  said: string
  /** 0: it was skipped. */
  durationMs: Millis
}

export type RungName = Exclude<Rung['is'], 'sort' | 'last-look'>

/** What stays the same while a completion climbs. */
export interface Climb {
  gates: Gate[]
  base: Base
  /** Tests that ran in the room at this very base; null: nobody has counted. */
  testsAtBase: number | null
  /** What the gates wrote over at the base as they ran. */
  wroteAtBase: string[]
  /** How often a red trial is run again. */
  reruns: number
  /** Runs that the search for needed changes may take. */
  trials: number
  about: About
}

/** New work; or nothing but the tree as it is, which may be proven already, unless a person changed it since and nobody tried that. */
export type About = 'work' | 'state' | 'changed-state'

export type RungAnswer =
  | { is: 'sorted'; sorting: Sorting }
  | { is: 'tried'; trial: Trial }
  | { is: 'looked'; changed: string[] }

export type LadderMove = { ladder: Ladder; say: string | null } & (
  | { is: 'sort' }
  | { is: 'try'; arrangement: Arrangement; gates: Gate[]; purpose: RoomPurpose }
  | { is: 'look' }
  | { is: 'proven'; why: string }
  /** Done, if a person accepts these. `ignored`: they are files that git ignores. `tell`: what the agent could do about it first. */
  | { is: 'accept'; why: string; needed: Needed; ignored: string[]; tell: string | null }
  /** `tell`: for the agent; `lines`: for a person, what the gates said or which files and boxes are concerned. */
  | { is: 'refused'; verdict: Verdict; why: string; tell: string; lines: string[] }
  /** The gates passed and prove nothing. `tell`: what the agent could do about it; null: nothing. */
  | { is: 'unproven'; why: string; tell: string | null }
  | { is: 'room-failed'; why: string }
)

export function sortingOf({ sorting }: Ladder): Sorting {
  if (sorting === null) throw new Error('a claim climbs only after its changes were sorted')
  return sorting
}
