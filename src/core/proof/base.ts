/** What a completion is judged against: the last proven or accepted state of the project, or how the first run found it. */
import type { TreeHash } from '../ids.ts'

export interface Base {
  /** The working tree, as the tree archive keeps it. */
  tree: TreeHash
  /** Hash of the plan's text there; null: there was no plan. */
  plan: string | null
  /** One hash of HEAD, branches and tags there; null: no git. */
  refs: string | null
  /** How it became the base. `lost`: the archive of the earlier base was missing, so this is the tree as it was found, unproven. */
  from: 'first' | 'proven' | 'accepted' | 'lost'
}

/** How a base was found at the start of a run or between two iterations, for people. */
export interface BaseChanges {
  /** Files that a person changed since; the base includes their changes. The first few names. */
  moved: string[]
  movedCount: number
  /** Files that an earlier run changed and that are neither proven nor accepted. */
  inherited: string[]
  inheritedCount: number
  /** What a person was asked to accept last, and did not. */
  rejected: string[]
  /** Warnings: the tree archive was lost, or the author of a change is unknown. */
  warnings: string[]
}

export const NO_BASE_CHANGES: BaseChanges = {
  moved: [],
  movedCount: 0,
  inherited: [],
  inheritedCount: 0,
  rejected: [],
  warnings: [],
}
