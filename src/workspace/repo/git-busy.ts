/** Detects unfinished git operations, during which Ralph must not change HEAD or the index. */
import { join } from 'node:path'
import type { GitOperation } from '../../core/tree/change.ts'
import { exists } from '../../system/files/files.ts'
import { describeIndexLock } from './index-lock.ts'
import type { GitFolders } from './find-repo.ts'

const SIGNS: [file: string, open: GitOperation, means: string][] = [
  ['rebase-merge', 'rebase', 'a rebase is in progress'],
  ['rebase-apply/applying', 'am', 'a git am is in progress'],
  ['rebase-apply', 'rebase', 'a rebase is in progress'],
  ['MERGE_HEAD', 'merge', 'a merge is in progress'],
  ['CHERRY_PICK_HEAD', 'cherry-pick', 'a cherry-pick is in progress'],
  ['REVERT_HEAD', 'revert', 'a revert is in progress'],
  ['BISECT_LOG', 'bisect', 'a bisect is in progress'],
]

/** A description for people; null: the repository is free. */
export function gitBusyReason(place: GitFolders): string | null {
  return describeIndexLock(place) ?? signOf(place)?.[2] ?? null
}

/** The unfinished operation, if there is one. */
export function gitOperationInProgress(place: GitFolders): GitOperation | null {
  return signOf(place)?.[1] ?? null
}

function signOf(place: GitFolders): (typeof SIGNS)[number] | undefined {
  return SIGNS.find(([file]) => exists(join(place.gitDir, file)))
}
