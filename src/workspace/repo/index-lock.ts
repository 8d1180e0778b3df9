/**
 * The lock that git lays on the index while it works. A git that was killed leaves it behind, and then no commit is possible until
 * somebody deletes it: not the next iteration's, not Ralph's own. It is removed where its owner is surely dead, else it is named.
 */
import { join } from 'node:path'
import type { Instant } from '../../core/ids.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import type { Clock } from '../../system/clock.ts'
import { exists, isFolder, removeIfExists } from '../../system/files/files.ts'
import { changedAt, fileStamp } from '../../system/files/links.ts'
import { processesInFolder } from '../../system/process/processes-in-folder.ts'
import type { GitFolders } from './find-repo.ts'

/** An editor with a git library of its own is no process called git, but it holds the lock for milliseconds only. */
const SETTLE_MS = 300

/**
 * Removes a lock whose owner died with the agent: it was there when the agent had ended, no git is alive in this repository, and a
 * moment later it is still the very same file. True: it was removed.
 */
export async function removeStaleLock(place: GitFolders, clock: Pick<Clock, 'at' | 'after'>): Promise<boolean> {
  const lock = lockOf(place)
  // A folder in its place is nobody's lock: it is named, and left to a person.
  if (!exists(lock) || isFolder(lock)) return false
  const since = clock.at()
  const stamp = fileStamp(lock)
  if (stamp === null || !isOlder(lock, since) || lockOwnersOf(place).length > 0) return false
  await new Promise<void>((resolve) => void clock.after(SETTLE_MS, resolve))
  if (fileStamp(lock) !== stamp || lockOwnersOf(place).length > 0) return false
  removeIfExists(lock)
  return true
}

/** Who holds the index, in words; null when nobody does. */
export function indexLockOwner(place: GitFolders): string | null {
  const lock = lockOf(place)
  if (!exists(lock)) return null
  const [lockOwner] = lockOwnersOf(place)
  if (lockOwner === undefined) return `index.lock lies there and no git is at work; if that is so: rm ${lock}`
  return `process ${lockOwner.pid} (${oneLine(stripControl(lockOwner.command), 80)}) holds index.lock`
}

/** Live for hours beside an editor, a file-system monitor or a run of ours, and never lock the index. */
const LOCKLESS = /\b(?:fsmonitor--daemon|credential-cache--daemon|cat-file|diff-tree)\b/

function lockOf({ gitDir }: GitFolders): string {
  return join(gitDir, 'index.lock')
}

function lockOwnersOf({ top, gitDir, commonDir }: GitFolders): ReturnType<typeof processesInFolder> {
  return processesInFolder([top, gitDir, commonDir], 'git', LOCKLESS)
}

function isOlder(lock: string, since: Instant): boolean {
  const at = changedAt(lock)
  return at !== null && at <= since
}
