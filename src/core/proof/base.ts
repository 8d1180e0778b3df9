/** What a completion is judged against: the last proven or accepted state of the project, or how the first run found it. */
import type { TreeHash } from '../ids.ts'

export interface Base {
  /** The working tree, as the tree archive keeps it. */
  tree: TreeHash
  /** Hash of the plan's text there; null: there was no plan. */
  plan: string | null
  /** One hash of HEAD, branches and tags there; null: no git. */
  refs: string | null
  /** How it came to be the base. `lost`: the tree as it lay there when what was kept of an earlier one was gone: nobody has vouched for it. */
  from: 'first' | 'proven' | 'accepted' | 'lost'
}

/** How a base was come by at the start of a run, or between two iterations: for people. */
export interface BaseChanges {
  /** Files that a person changed since, and that the base has as they made them: the first few names. */
  moved: string[]
  movedCount: number
  /** Files that an earlier run changed and nobody has proven or accepted yet. */
  inherited: string[]
  inheritedCount: number
  /** What a person was asked to accept last, and did not. */
  rejected: string[]
  /** What a person should know: the tree archive was lost, nobody knows who changed something. */
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
