/**
 * Ends processes so that none survives: asked first, then frozen, then killed, then searched for again. Frozen first, because what
 * forks faster than it is swept is always one process further: a stopped one starts nothing, so looking again comes to an end.
 * What was never seen, left its group, outlived its parent and carries no mark escapes; only a PID namespace would hold it.
 */
import type { Millis } from '../../core/ids.ts'
import { attempt } from '../attempt.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type ProcessSearch, openProcessSearch, type ProcessTarget } from './find-processes.ts'
import { type ProcessKey, type Proc, stillRunning } from './process-table.ts'

/** A kill takes effect at once, unless the process is stuck in the kernel: that long we wait for it to be gone. */
const KILL_MS: Millis = 2000
/** A process that is being ended may start another one meanwhile; after this long it is searched for and killed again. */
const SEARCH_AGAIN_MS: Millis = 200
/** A look takes a millisecond, so this is hundreds of them: a chain of processes that comes and goes is met in one of them. */
const SETTLE_MS: Millis = 250

export interface EndResult {
  /** How many processes were ended. */
  count: number
  /** Those that killing did not help against. */
  left: ProcessKey[]
  /** Everybody else that was there at the last look. */
  others: Proc[]
}

/** Resolves when none lives or killing did not help. */
export async function endProcesses(wanted: ProcessTarget, { graceMs }: { graceMs: Millis }): Promise<EndResult> {
  const clock = systemClock()
  const hunt = openProcessSearch(wanted)
  if (graceMs > 0) {
    settle(hunt, clock, () => {})
    // Nobody to ask is nobody to kill either.
    if (hunt.found() === 0) return { count: 0, left: [], others: hunt.allProcesses() }
    signal(hunt.alive(), wanted, 'SIGTERM')
    signal(hunt.alive(), wanted, 'SIGCONT') // a stopped process hears nothing until it goes on
    await untilGone(hunt, { clock, ms: graceMs })
  }
  const patience = clock.up() + KILL_MS
  do {
    settle(hunt, clock, (procs) => signal(stillRunning(procs), wanted, 'SIGSTOP'))
    signal(hunt.alive(), wanted, 'SIGKILL')
    await untilGone(hunt, { clock, ms: SEARCH_AGAIN_MS })
  } while (hunt.alive().length > 0 && clock.up() < patience)
  const left = hunt.alive()
  return { count: hunt.found() - left.length, left, others: hunt.allProcesses() }
}

/** Looks until two looks in a row find nothing new. */
function settle(hunt: ProcessSearch, clock: Clock, onFound: (procs: Proc[]) => void): void {
  const due = clock.up() + SETTLE_MS
  let quiet = 0
  while (quiet < 2 && clock.up() < due) quiet = hunt.look(onFound) ? quiet + 1 : 0
}

/** For processes that were just seen to be the ones they were. The newest first: a stopped child goes on for a moment when its parent
 *  dies. The leader's group in one call, so that nobody slips through by forking. */
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

/** False: gone meanwhile, or not ours to signal. A negative target is a group. */
export function trySignal(target: number, name: NodeJS.Signals): boolean {
  return attempt(() => process.kill(target, name), false)
}

/** Until none of the found lives and looking again finds no other, or until the time is over. */
async function untilGone(hunt: ProcessSearch, { clock, ms }: { clock: Clock; ms: Millis }): Promise<void> {
  const due = clock.up() + ms
  let pause = 4
  while (hunt.alive().length > 0 && clock.up() < due) {
    await new Promise<void>((resolve) => void clock.after(pause, resolve))
    pause = Math.min(pause * 2, 50)
    // Looking at those we know is cheap; the others are looked for when they are gone.
    if (hunt.alive().length === 0) settle(hunt, clock, () => {})
  }
}
