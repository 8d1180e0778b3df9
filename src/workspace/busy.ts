/** What keeps a repository busy, so that nobody else should move its HEAD or its index. */
import { join } from 'node:path'
import { exists } from '../system/files.ts'
import type { GitPlace } from './place.ts'

const SIGNS: [file: string, means: string][] = [
  ['rebase-merge', 'a rebase is in progress'],
  ['rebase-apply', 'a rebase or git am is in progress'],
  ['MERGE_HEAD', 'a merge is in progress'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
  ['REVERT_HEAD', 'a revert is in progress'],
  ['BISECT_LOG', 'a bisect is in progress'],
  ['index.lock', 'another git holds index.lock'],
]

/** In words, or null when the repository is free. */
export function busyWith(place: GitPlace): string | null {
  return SIGNS.find(([file]) => exists(join(place.gitDir, file)))?.[1] ?? null
}
