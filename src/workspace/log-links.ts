/**
 * The output of each iteration's agent under the path that the bash tool used: `.ralph/logs/claude_output_<time>.log`.
 * The log itself is stored beside the store; this path is a link to it or, where links cannot be created, a copy of its end.
 */
import { dirname, join, relative } from 'node:path'
import { RalphError } from '../core/error.ts'
import { exists, listFolder, removeIfExists, writeWithoutSync } from '../system/files/files.ts'
import { isPathTaken, resolvesInto, createLinkTo, linkTargetOf } from '../system/files/links.ts'
import { readFilePart } from '../system/files/read-part.ts'
import { assertNotLink, stateFilePath } from './state-files.ts'

/** `stamp`: `2027-03-28_03-30-00`, when the agent was started. */
export interface StampedLog {
  stamp: string
  log: string
}

/** Several iterations may start within one second. */
const SAME_SECOND_MAX = 99

/** Creates the link unless it exists. False: links cannot be created here. Never replaces another file of that name. */
export function linkLog(root: string, { stamp, log }: StampedLog): boolean {
  const path = freeName(root, { stamp, log })
  if (path === null) return true
  try {
    // A relative link inside the project stays valid when the project is moved.
    createLinkTo(resolvesInto(log, root) ? relative(dirname(path), log) : log, path)
    return true
  } catch (error) {
    if (error instanceof RalphError) return false
    throw error
  }
}

/** Enough for the result that scripts look for at the end. */
const COPY_MAX = 64 * 1024

/** Instead of a link, copies the end of the log. */
export function copyLog(root: string, named: StampedLog): void {
  const path = freeName(root, named)
  const { size } = readFilePart(named.log, { from: 0, max: 0 }) ?? { size: 0 }
  const end = readFilePart(named.log, { from: Math.max(0, size - COPY_MAX), max: COPY_MAX })
  if (path !== null && end !== null) writeWithoutSync(path, end.bytes.toString('utf8'))
}

/** Null: a link to this log exists already, or no name is free. */
function freeName(root: string, { stamp, log }: StampedLog): string | null {
  const folder = assertNotLink(stateFilePath(root, 'logs'))
  for (let n = 1; n <= SAME_SECOND_MAX; n += 1) {
    const path = join(folder, `claude_output_${stamp}${n === 1 ? '' : `_${n}`}.log`)
    if (!isPathTaken(path)) return path
    if (linkTargetOf(path) === log) return null
  }
  return null
}

/** Removes links whose logs were pruned. Only Ralph's own: other links and files belong to the user. */
export function removeDeadLinks(root: string, store: string): void {
  const folder = stateFilePath(root, 'logs')
  if (!exists(folder) || linkTargetOf(folder) !== null) return
  for (const name of listFolder(folder)) {
    const path = join(folder, name)
    const target = /^claude_output_.*\.log$/.test(name) ? linkTargetOf(path) : null
    if (target !== null && !exists(target) && resolvesInto(target, join(store, 'logs'))) removeIfExists(path)
  }
}
