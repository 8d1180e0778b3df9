/**
 * Ends processes so that none survives: sends a signal, then freezes, then kills, then searches again. Freezing comes first, because a
 * process that forks faster than we sweep is always one step ahead: a stopped one starts nothing, so the search terminates. A process
 * escapes if it was never seen, left its group, outlived its parent and has no mark; only a PID namespace would hold it.
 */
import type { Millis } from '../../core/ids.ts'
import { attempt } from '../attempt.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type ProcessSearch, openProcessSearch, type ProcessTarget } from './find-processes.ts'
import { type ProcessKey, type Proc, filterRunning } from './process-table.ts'

/** A kill takes effect at once, unless the process is stuck in the kernel: this is how long we wait for it. */
const KILL_MS: Millis = 2000
/** A process may start another one while it is being ended; after this time we search and kill again. */
const SEARCH_AGAIN_MS: Millis = 200
/** One search takes a millisecond, so this allows hundreds: enough to catch a chain of short-lived processes. */
const SETTLE_MS: Millis = 250

export interface EndResult {
  /** How many processes were ended. */
  count: number
  /** The processes that survived the kill. */
  left: ProcessKey[]
  /** All other processes of the last search. */
  others: Proc[]
}

/** Resolves when all of them are gone or killing did not help. */
export async function endProcesses(wanted: ProcessTarget, { graceMs }: { graceMs: Millis }): Promise<EndResult> {
  const clock = systemClock()
  const hunt = openProcessSearch(wanted)
  if (graceMs > 0) {
    settle(hunt, clock, () => {})
    // Without a process to signal there is none to kill either.
    if (hunt.found() === 0) return { count: 0, left: [], others: hunt.allProcesses() }
    signal(hunt.alive(), wanted, 'SIGTERM')
    signal(hunt.alive(), wanted, 'SIGCONT') // a stopped process receives nothing until it continues
    await untilGone(hunt, { clock, ms: graceMs })
  }
  const patience = clock.up() + KILL_MS
  do {
    settle(hunt, clock, (procs) => signal(filterRunning(procs), wanted, 'SIGSTOP'))
    signal(hunt.alive(), wanted, 'SIGKILL')
    await untilGone(hunt, { clock, ms: SEARCH_AGAIN_MS })
  } while (hunt.alive().length > 0 && clock.up() < patience)
  const left = hunt.alive()
  return { count: hunt.found() - left.length, left, others: hunt.allProcesses() }
}

/** Searches until two searches in a row find nothing new. */
function settle(hunt: ProcessSearch, clock: Clock, onFound: (procs: Proc[]) => void): void {
  const due = clock.up() + SETTLE_MS
  let quiet = 0
  while (quiet < 2 && clock.up() < due) quiet = hunt.look(onFound) ? quiet + 1 : 0
}

/** For processes whose identity was just checked. The newest first: a stopped child continues for a moment when its parent dies.
 *  Signals the leader's group in one call, so that no process escapes by forking. */
function signal(procs: Proc[], { leader }: ProcessTarget, name: NodeJS.Signals): void {
  const grouped = (proc: Proc) => leader !== null && proc.group === leader.pid
  const newestFirst = procs.toSorted(
    (one, other) => Number(other.startTime) - Number(one.startTime) || other.pid - one.pid,
  )
  for (const proc of newestFirst) {
    if (!grouped(proc)) trySignal(proc.pid, name)
  }
  if (leader !== null && procs.some(grouped)) trySignal(-leader.pid, name)
}

/** False: it is gone, or we may not signal it. A negative target is a group. */
export function trySignal(target: number, name: NodeJS.Signals): boolean {
  return attempt(() => process.kill(target, name), false)
}

/** Waits until all found processes are gone and a new search finds no other, or until the time is up. */
async function untilGone(hunt: ProcessSearch, { clock, ms }: { clock: Clock; ms: Millis }): Promise<void> {
  const due = clock.up() + ms
  let pause = 4
  while (hunt.alive().length > 0 && clock.up() < due) {
    await new Promise<void>((resolve) => void clock.after(pause, resolve))
    pause = Math.min(pause * 2, 50)
    // Checking the known ones is cheap; a new search runs only when they are gone.
    if (hunt.alive().length === 0) settle(hunt, clock, () => {})
  }
}
