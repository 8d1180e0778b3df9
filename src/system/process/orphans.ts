/**
 * Processes in a folder whose parent is gone and whom nobody saw being born. Linux only: elsewhere the working folder of a process
 * costs seconds to ask for (`lsof`), so there nobody is named.
 */
import { statSync } from 'node:fs'
import { type Orphan, displayableCommand } from '../../core/tree/orphan.ts'
import { orphanedSince } from './descendants.ts'
import { realPath } from '../files/links.ts'
import {
  HAS_PROC,
  isRunning,
  type ProcessKey,
  type Proc,
  procFileText,
  worksInFolder,
  commandLineOf,
} from './process-table.ts'

/** Those that began after `since`, work in the folder `within`, belong to this user and to no terminal. */
export function findOrphans(table: Proc[], { since, within }: { since: ProcessKey; within: string }): Orphan[] {
  const folder = HAS_PROC ? realPath(within) : null
  if (folder === null) return []
  return orphanedSince(table, { since, isReaper })
    .filter((proc) => proc.pid !== process.pid && isRunning(proc))
    .filter((proc) => isOurs(proc) && worksInFolder(proc.pid, folder))
    .map(({ pid, startTime }) => ({ pid, startTime, command: commandOf(pid) }))
}

/** What takes in orphans where it is not process 1: a session's own manager, and the small init programs of containers. */
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
