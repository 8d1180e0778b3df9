/**
 * Lists processes and their parents: from /proc on Linux, elsewhere from `ps`. A zombie has ended and only waits for its parent: it
 * counts as gone.
 */
import { closeSync, existsSync, openSync, readSync, readdirSync, readlinkSync } from 'node:fs'
import { attempt } from '../attempt.ts'
import { isWithin } from '../files/links.ts'
import { nodeChildProcess } from '../lazy-node.ts'

export interface Proc {
  pid: number
  parent: number
  group: number
  /** Unique together with the pid: a pid alone is reused. Compare it, never interpret it. */
  startTime: string
  /** Whether it has a controlling terminal: a person started it there. */
  terminal: boolean
  zombie: boolean
}

/** Identifies one process for ever. */
export type ProcessKey = Pick<Proc, 'pid' | 'startTime'>

export const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/stat')
/** Not every kernel provides it. */
const HAS_CHILDREN = HAS_PROC && existsSync(`/proc/self/task/${process.pid}/children`)

/** Every visible living process. Empty on machines with neither /proc nor `ps`. */
export function livingProcesses(): Proc[] {
  return (HAS_PROC ? tableFromProc() : processTableFromPs()).filter((proc) => !proc.zombie)
}

/** One process by its pid, zombies included; null if there is none. */
export function findProcess(pid: number): Proc | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  if (HAS_PROC) return readStat(pid)
  if (process.platform === 'win32') return answersToSignal(pid)
  return askPs(['-p', String(pid)])[0] ?? null
}

/** Whether this very process, not another one with its pid, is still running. */
export function isRunning(proc: ProcessKey): boolean {
  return filterRunning([proc]).length > 0
}

/** The current rows of those that still run. Where this needs `ps`, one call serves all. */
export function filterRunning(wanted: ProcessKey[]): Proc[] {
  if (wanted.length === 0) return []
  const pids = wanted.map(({ pid }) => pid)
  const found = HAS_PROC || process.platform === 'win32' ? pids.map(findProcess) : askPs(['-p', pids.join(',')])
  const startTimes = new Map(wanted.map(({ pid, startTime }) => [pid, startTime]))
  return found
    .filter((proc) => proc !== null)
    .filter((proc) => !proc.zombie && proc.startTime === startTimes.get(proc.pid))
}

/** Whether `proc` began before `other`. False if start times are not numbers, because then it is unknown. */
export function startedEarlier(proc: ProcessKey, other: ProcessKey): boolean {
  return HAS_PROC && Number(proc.startTime) < Number(other.startTime)
}

/** All pids, newest first as far as pids are assigned in order; null where only whole tables are available. */
export function listPids(): number[] | null {
  if (!HAS_PROC) return null
  return numbers(readdirSync('/proc')).sort((one, other) => other - one)
}

/** How many processes and threads the machine has started so far; null if it does not count them. */
export function countStartedProcesses(): number | null {
  if (!HAS_PROC) return null
  const count = /^processes (\d+)$/m.exec(readProcFile('/proc/stat'))?.[1]
  return count === undefined ? null : Number(count)
}

/**
 * Pids are assigned upwards and wrap around at the top. `before`: the count just before `pid` was started. True if they have not wrapped
 * since, so that every later process has a higher pid; false if unknown.
 */
export function isPidOrderReliable(pid: number, before: number | null): boolean {
  const now = before === null ? null : countStartedProcesses()
  if (now === null || before === null) return false
  const top = Number(readProcFile('/proc/sys/kernel/pid_max'))
  // Pids in use are skipped, so pids advance a little faster than the count.
  return pid + 2 * (now - before) + PASSED_OVER < top
}

const PASSED_OVER = 8_000

/** The children of a process by the kernel's own list, which takes a few reads instead of the whole table; null if there is no such
 *  list. It may miss a child that comes or goes during the read, so callers repeat it. */
export function childPidsOf(pid: number): number[] | null {
  if (!HAS_CHILDREN) return null
  return attempt(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    numbers(readProcFile(`/proc/${pid}/task/${thread}/children`).split(' ')),
  )
}

function tableFromProc(): Proc[] {
  return (listPids() ?? []).map(readStat).filter((proc) => proc !== null)
}

function numbers(names: string[]): number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}

/** `pid (name) state parent group session terminal … startTime`: the name may contain spaces and parentheses, so count from its end. */
function readStat(pid: number): Proc | null {
  const stat = readProcFile(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, , terminal] = fields
  const startTime = fields[19]
  if (state === undefined || startTime === undefined) return null
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime,
    terminal: terminal !== '0',
    zombie: state === 'Z' || state === 'X',
  }
}

/** The words of its command line; empty if unreadable. */
export function commandLineOf(pid: number): string[] {
  const line = Buffer.from(procFileText(pid, 'cmdline'), 'latin1').toString('utf8').replace(/\0+$/, '')
  return line === '' ? [] : line.split('\0')
}

/** Whether it works in this folder or below. Linux only. */
export function isCwdInFolder(pid: number, folder: string): boolean {
  // Null: it is gone, or belongs to another user.
  const stands = attempt(() => readlinkSync(`/proc/${pid}/cwd`), null)
  return stands !== null && isWithin(stands, folder)
}

/** The content of a process's file in `/proc`, as bytes; '' if it is missing or unreadable. */
export function procFileText(pid: number, name: 'environ' | 'limits' | 'cmdline' | 'comm'): string {
  return HAS_PROC ? readProcFile(`/proc/${pid}/${name}`) : ''
}

const piece = Buffer.allocUnsafe(64 * 1024)

/** Reads without `readFileSync`, which is three times slower here, and a sweep reads hundreds. A process may end after it was listed,
 *  or belong to another user: that is no error. */
function readProcFile(path: string): string {
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    let text = ''
    let got = readSync(file, piece)
    while (got > 0) {
      text += piece.toString('latin1', 0, got)
      got = got < PAGE ? 0 : readSync(file, piece)
    }
    return text
  } catch {
    return ''
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** The kernel returns at least a page as long as there is more. */
const PAGE = 4096

/** Windows has neither: we learn only that a process with this pid exists. */
function answersToSignal(pid: number): Proc | null {
  const isThere = attempt(() => process.kill(pid, 0), false)
  return isThere ? { pid, parent: 0, group: 0, startTime: '', terminal: false, zombie: false } : null
}

/** The table from `ps`, in the format that Linux, macOS and the BSDs share. */
export function processTableFromPs(): Proc[] {
  return askPs(['-A'])
}

function askPs(which: string[]): Proc[] {
  return runPs([...which, '-o', 'pid=,ppid=,pgid=,stat=,tty=,lstart='])
    .map(readPsLine)
    .filter((proc) => proc !== null)
}

function readPsLine(line: string): Proc | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
  if (match === null) return null
  const [, pid, parent, group, state = '', terminal = '', startTime = ''] = match
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    startTime: startTime.replace(/\s+/g, ' '),
    terminal: !/^[?-]/.test(terminal),
    zombie: state.startsWith('Z'),
  }
}

/** Language and zone are fixed, because start times are compared as text. */
export function runPs(args: string[]): string[] {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const { stdout } = nodeChildProcess().spawnSync('ps', args, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return (stdout ?? '').split('\n') // no text at all if there is no ps
}
