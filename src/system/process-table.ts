/**
 * Which processes there are, who started whom, and which carry a mark in their environment. Linux tells it in /proc; elsewhere
 * `ps` is asked. A zombie has ended and only waits for its parent: it counts as gone.
 */
import { closeSync, existsSync, openSync, readSync, readdirSync } from 'node:fs'
import { childProcess } from './lazy.ts'

export interface Proc {
  pid: number
  parent: number
  group: number
  /** With the pid it names one process for ever: a pid alone is used again. Compare, never interpret. */
  startTime: string
  zombie: boolean
}

export interface Variable {
  name: string
  value: string
}

const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/stat')

/** Every process that lives and may be seen. Empty where the machine has neither /proc nor `ps`. */
export function livingProcesses(): Proc[] {
  return (HAS_PROC ? tableFromProc() : tableFromPs()).filter((proc) => !proc.zombie)
}

/** One process by its pid, a zombie included; null when there is none. */
export function processOf(pid: number): Proc | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  if (HAS_PROC) return readStat(pid)
  if (process.platform === 'win32') return answersToSignal(pid)
  return askPs(['-p', String(pid)])[0] ?? null
}

/** Is this very process, not another one with its pid, still running? */
export function isRunning(proc: Pick<Proc, 'pid' | 'startTime'>): boolean {
  const found = processOf(proc.pid)
  return found !== null && !found.zombie && found.startTime === proc.startTime
}

/** Was `proc` there before `other`? Where start times are not numbers, nobody knows: no. */
export function isOlder(proc: Pick<Proc, 'startTime'>, other: Pick<Proc, 'startTime'>): boolean {
  return HAS_PROC && Number(proc.startTime) < Number(other.startTime)
}

/** Picks those of `procs` that were started with `NAME=value` in their environment. Others' processes cannot be read and
 *  are left out. */
export function withVariable(procs: Proc[], variable: Variable): Proc[] {
  const wanted = Buffer.from(`${variable.name}=${variable.value}`).toString('latin1') // the bytes, as they are read below
  if (HAS_PROC) return procs.filter((proc) => environmentOf(proc.pid).includes(`\0${wanted}\0`))
  const marked = new Set(pidsWithTextByPs(wanted))
  return procs.filter((proc) => marked.has(proc.pid))
}

function tableFromProc(): Proc[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((proc) => proc !== null)
}

/** `pid (name) state parent group session … startTime`: the name may hold spaces and parentheses, so count from its end. */
function readStat(pid: number): Proc | null {
  const stat = readProcFile(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  const startTime = fields[19]
  if (state === undefined || startTime === undefined) return null
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime,
    zombie: state === 'Z' || state === 'X',
  }
}

function environmentOf(pid: number): string {
  return `\0${readProcFile(`/proc/${pid}/environ`)}\0`
}

const piece = Buffer.allocUnsafe(64 * 1024)

/** Read by hand, because `readFileSync` costs three times as much here and a sweep reads hundreds. A process may end, or belong to
 *  somebody else, between being listed and being read: that is no error. */
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

/** The kernel fills at least a page as long as there is more to tell. */
const PAGE = 4096

/** Windows has neither: that a process with this pid is there is all we learn. */
function answersToSignal(pid: number): Proc | null {
  try {
    process.kill(pid, 0)
    return { pid, parent: 0, group: 0, startTime: '', zombie: false }
  } catch {
    return null
  }
}

/** The table as `ps` tells it, in the form that Linux, macOS and the BSDs share. */
export function tableFromPs(): Proc[] {
  return askPs(['-A'])
}

function askPs(which: string[]): Proc[] {
  return ps([...which, '-o', 'pid=,ppid=,pgid=,stat=,lstart='])
    .map(readPsLine)
    .filter((proc) => proc !== null)
}

function readPsLine(line: string): Proc | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
  if (match === null) return null
  const [, pid, parent, group, state = '', startTime = ''] = match
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    startTime: startTime.replace(/\s+/g, ' '),
    zombie: state.startsWith('Z'),
  }
}

/** BSD `ps` appends the environment to the command with -E. Words are split at blanks there, so this is the best effort
 *  of a machine that has no /proc. */
function pidsWithTextByPs(wanted: string): number[] {
  return ps(['-A', '-E', '-ww', '-o', 'pid=,command='])
    .filter((line) => line.split(/\s+/).includes(wanted))
    .map((line) => Number.parseInt(line, 10))
}

/** Language and zone are fixed, because start times are compared as text. */
function ps(args: string[]): string[] {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const { stdout } = childProcess().spawnSync('ps', args, {
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return (stdout ?? '').split('\n') // no text at all where there is no ps
}
