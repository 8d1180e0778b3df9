/** What is in the working tree and what an iteration did to it: measured by Ralph, never taken from the agent's words. */
import type { TreeHash } from '../ids.ts'

export interface Snapshot {
  tree: TreeHash
  /** Null: no commits yet, or no git. */
  head: string | null
  /** Null: detached HEAD, or no git. */
  branch: string | null
  /** The ref under which git keeps the tree, or null where there is no git. */
  ref: string | null
  /** Files too large, too many or too secret to store: hashed and listed only (at most 20 names, then a count). */
  unstored: string[]
  /** What keeps git busy, in words: a rebase in progress, a held index.lock. Null when free. */
  busy: string | null
  /** What git is in the middle of; absent: nothing. */
  open?: GitOperation
  /** Files that differ from the last commit; absent: not counted. */
  uncommitted?: number
  /** Their names, if they are few. */
  uncommittedPaths?: string[]
  /** The control files, as a tree of their own beside the one that counts as work; absent: they were not looked at. */
  control?: TreeHash
  /** What was staged; absent: not looked at, or git cannot say it as a tree because of an unfinished merge. */
  index?: TreeHash
}

/** What git can be left in the middle of. */
export type GitOperation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect'

export interface Change {
  /** Paths that differ, at most 50 of them; `files` has the true number. */
  paths: { path: string; kind: 'added' | 'changed' | 'deleted' }[]
  files: number
  added: number
  removed: number
  /** Commits made since, oldest first, at most 20 subjects. */
  commits: { sha: string; subject: string }[]
}

/** The plan's checkboxes, counted outside optional sections. */
export interface CheckboxCounts {
  open: number
  done: number
}

/** As the breaker and every screen see it: a measured change, a commit or a checkbox that was ticked. */
export function hasMadeProgress(change: Pick<Change, 'files' | 'commits'>, ticked: boolean): boolean {
  return change.files > 0 || change.commits.length > 0 || ticked
}

export const NO_CHANGE: Change = { paths: [], files: 0, added: 0, removed: 0, commits: [] }

export function isPlanComplete(checkboxes: CheckboxCounts | null): boolean {
  return checkboxes !== null && checkboxes.done > 0 && checkboxes.open === 0
}
