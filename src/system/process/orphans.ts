/**
 * Processes in a folder whose parent is gone and whom nobody saw being born. Linux only: elsewhere the working folder of a process
 * costs seconds to ask for (`lsof`), so there nobody is named.
 */
import { statSync } from 'node:fs'
import { type Orphan, shownCommand } from '../../domain/tree/orphan.ts'
import { adopted } from './descent.ts'
import { realPath } from '../files/links.ts'
import { HAS_PROC, isRunning, type Known, type Proc, procText, standsIn, wordsOf } from './process-table.ts'

/** Those that began after `since`, work in the folder `within`, belong to this user and to no terminal. */
export function findOrphans(table: Proc[], { since, within }: { since: Known; within: string }): Orphan[] {
  const folder = HAS_PROC ? realPath(within) : null
  if (folder === null) return []
  return adopted(table, { since, isReaper })
    .filter((proc) => proc.pid !== process.pid && isRunning(proc))
    .filter((proc) => isOurs(proc) && standsIn(proc.pid, folder))
    .map(({ pid, startTime }) => ({ pid, startTime, command: commandOf(pid) }))
}

/** What takes in orphans where it is not process 1: a session's own manager, and the small init programs of containers. */
const REAPERS = new Set(['systemd', 'init', 'tini', 'dumb-init', 'docker-init', 'catatonit', 'conmon'])

function isReaper(pid: number): boolean {
  return pid === 1 || REAPERS.has(procText(pid, 'comm').trim())
}

function isOurs({ pid }: Proc): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

function commandOf(pid: number): string {
  return shownCommand(wordsOf(pid).join(' ')) || procText(pid, 'comm').trim()
}
