/**
 * The lock file of git's index. A killed git leaves it behind, and then nobody can commit until it is deleted: neither the next iteration
 * nor Ralph. Ralph removes it if its owner is certainly dead, and reports it otherwise.
 */
import { join } from 'node:path'
import type { Instant } from '../../core/ids.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import type { Clock } from '../../system/clock.ts'
import { exists, isFolder, removeIfExists } from '../../system/files/files.ts'
import { modifiedTimeMs, fileStamp } from '../../system/files/links.ts'
import { processesInFolder } from '../../system/process/processes-in-folder.ts'
import type { GitFolders } from './find-repo.ts'

/** An editor with its own git library has no process called git, but it holds the lock for milliseconds only. */
const SETTLE_MS = 300

/**
 * Removes a lock whose owner died with the agent: it existed when the agent had ended, no git process works in this repository, and a
 * moment later it is still the same file. True: it was removed.
 */
export async function removeStaleIndexLock(place: GitFolders, clock: Pick<Clock, 'at' | 'after'>): Promise<boolean> {
  const lock = lockOf(place)
  // A folder of that name is no lock: it is reported and left to the user.
  if (!exists(lock) || isFolder(lock)) return false
  const since = clock.at()
  const stamp = fileStamp(lock)
  if (stamp === null || !isOlder(lock, since) || lockOwnersOf(place).length > 0) return false
  await new Promise<void>((resolve) => void clock.after(SETTLE_MS, resolve))
  if (fileStamp(lock) !== stamp || lockOwnersOf(place).length > 0) return false
  removeIfExists(lock)
  return true
}

/** Describes the owner of the index lock; null: the index is not locked. */
export function describeIndexLock(place: GitFolders): string | null {
  const lock = lockOf(place)
  if (!exists(lock)) return null
  const [lockOwner] = lockOwnersOf(place)
  if (lockOwner === undefined) return `index.lock exists; if no git is running, remove it: rm ${lock}`
  return `process ${lockOwner.pid} (${oneLine(stripControl(lockOwner.command), 80)}) holds index.lock`
}

/** These run for hours beside an editor, a file-system monitor or a run, and never lock the index. */
const LOCKLESS = /\b(?:fsmonitor--daemon|credential-cache--daemon|cat-file|diff-tree)\b/

function lockOf({ gitDir }: GitFolders): string {
  return join(gitDir, 'index.lock')
}

function lockOwnersOf({ top, gitDir, commonDir }: GitFolders): ReturnType<typeof processesInFolder> {
  return processesInFolder([top, gitDir, commonDir], 'git', LOCKLESS)
}

function isOlder(lock: string, since: Instant): boolean {
  const at = modifiedTimeMs(lock)
  return at !== null && at <= since
}
