/**
 * Processes in a folder that have lost their parent and that Ralph cannot attribute. Linux only: elsewhere finding the working folder of
 * a process takes seconds (`lsof`), so the list is empty there.
 */
import { statSync } from 'node:fs'
import { type Orphan, displayableCommand } from '../../core/tree/orphan.ts'
import { orphansStartedAfter } from './descendants.ts'
import { realPath } from '../files/links.ts'
import {
  HAS_PROC,
  isRunning,
  type ProcessKey,
  type Proc,
  procFileText,
  isCwdInFolder,
  commandLineOf,
} from './process-table.ts'

/** Orphans that began after `since`, work in the folder `within`, and belong to this user and to no terminal. */
export function findOrphans(table: Proc[], { since, within }: { since: ProcessKey; within: string }): Orphan[] {
  const folder = HAS_PROC ? realPath(within) : null
  if (folder === null) return []
  return orphansStartedAfter(table, { since, isReaper })
    .filter((proc) => proc.pid !== process.pid && isRunning(proc))
    .filter((proc) => isOurs(proc) && isCwdInFolder(proc.pid, folder))
    .map(({ pid, startTime }) => ({ pid, startTime, command: commandOf(pid) }))
}

/** Programs other than process 1 that adopt orphans: session managers, and the small init programs of containers. */
const REAPERS = new Set(['systemd', 'init', 'tini', 'dumb-init', 'docker-init', 'catatonit', 'conmon'])

function isReaper(pid: number): boolean {
  return pid === 1 || REAPERS.has(procFileText(pid, 'comm').trim())
}

function isOurs({ pid }: Proc): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

function commandOf(pid: number): string {
  return displayableCommand(commandLineOf(pid).join(' ')) || procFileText(pid, 'comm').trim()
}
