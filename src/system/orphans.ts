/**
 * Processes in a folder whose parent is gone and whom nobody saw being born. Linux only: elsewhere the working folder of a process
 * costs seconds to ask for (`lsof`), so there nobody is named.
 */
import { readlinkSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { type Orphan, shownCommand } from '../domain/orphan.ts'
import { adopted } from './descent.ts'
import { HAS_PROC, isRunning, type Known, type Proc, procText } from './process-table.ts'

/** Those that began after `since`, work in the folder `within`, belong to this user and to no terminal. */
export function findOrphans(table: Proc[], { since, within }: { since: Known; within: string }): Orphan[] {
  if (!HAS_PROC) return []
  return adopted(table, { since, isReaper })
    .filter((proc) => proc.pid !== process.pid && isRunning(proc) && isOurs(proc) && worksIn(proc, within))
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

function worksIn({ pid }: Proc, folder: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`)
    return cwd === folder || cwd.startsWith(folder + sep)
  } catch {
    return false // it has ended meanwhile
  }
}

function commandOf(pid: number): string {
  const line = Buffer.from(procText(pid, 'cmdline'), 'latin1').toString('utf8').replaceAll('\0', ' ')
  return shownCommand(line) || procText(pid, 'comm').trim()
}
