/**
 * Ends processes so that none survives: first asked, then killed, then searched for again. A group can be left (`setsid`) and a
 * parent can die before its children, so the wanted are found in three ways: by group, by parent, by a mark in the environment.
 * What leaves its group, outlives its parent and clears its environment escapes; only a PID namespace would hold it.
 */
import type { Millis } from '../domain/ids.ts'
import { type Clock, realClock } from './clock.ts'
import {
  type Proc,
  type Variable,
  isOlder,
  isRunning,
  livingProcesses,
  processOf,
  withVariable,
} from './process-table.ts'

export interface Wanted {
  /** The leader of a process group of ours; its group and its descendants are meant too. */
  leader: Pick<Proc, 'pid' | 'startTime'> | null
  /** A variable in the environment they were started with. */
  mark: Variable | null
}

/** A kill takes effect at once, unless the process is stuck in the kernel: that long we wait for it to be gone. */
const KILL_MS: Millis = 2000
/** A process that is being ended may start another one meanwhile; after this long it is searched for and killed again. */
const SEARCH_AGAIN_MS: Millis = 200

/** Resolves with the number of processes that were ended, when none lives or killing did not help. */
export async function endAll(wanted: Wanted, { graceMs }: { graceMs: Millis }): Promise<number> {
  const clock = realClock()
  const known = new Map<number, Proc>()
  let living = search(wanted, known)
  if (living.length > 0 && graceMs > 0) {
    signal(living, wanted, 'SIGTERM')
    signal(living, wanted, 'SIGCONT') // a stopped process hears nothing until it goes on
    living = await waitUntilGone(wanted, known, { clock, ms: graceMs })
  }
  const patience = clock.up() + KILL_MS
  while (living.length > 0 && clock.up() < patience) {
    signal(living, wanted, 'SIGKILL')
    living = await waitUntilGone(wanted, known, { clock, ms: SEARCH_AGAIN_MS })
  }
  return known.size - living.length
}

/** All wanted processes that live now. `known` remembers them: once their parent is gone, nothing else would lead to them. */
export function search(wanted: Wanted, known: Map<number, Proc>): Proc[] {
  const table = tableFor(wanted).filter((proc) => proc.pid !== process.pid)
  const taken = wanted.leader !== null && isTaken(wanted.leader)
  const found = new Set(
    table.filter((proc) => isKnown(proc, known) || (!taken && isLed(proc, wanted.leader))),
  )
  if (wanted.mark !== null) {
    const others = table.filter((proc) => !found.has(proc) && !isOlderThanLeader(proc, wanted.leader))
    for (const proc of withVariable(others, wanted.mark)) found.add(proc)
  }
  addDescendants(found, table)
  for (const proc of found) known.set(proc.pid, proc)
  return [...found]
}

/** A machine that cannot list its processes (Windows) still tells whether the leader is there. */
function tableFor({ leader }: Wanted): Proc[] {
  const table = livingProcesses()
  if (table.length > 0 || leader === null) return table
  const alone = processOf(leader.pid)
  return alone === null ? [] : [alone]
}

function isKnown(proc: Proc, known: Map<number, Proc>): boolean {
  return known.get(proc.pid)?.startTime === proc.startTime
}

function isLed(proc: Proc, leader: Wanted['leader']): boolean {
  return leader !== null && (proc.pid === leader.pid || proc.group === leader.pid)
}

/** Spares us the reading of most environments: nothing that was there before the leader is of its making. */
function isOlderThanLeader(proc: Proc, leader: Wanted['leader']): boolean {
  return leader !== null && leader.startTime !== '' && isOlder(proc, leader)
}

/** Has a stranger the leader's pid by now? It is not given out while the group lives, so then the group is not ours either. */
function isTaken(leader: Pick<Proc, 'pid' | 'startTime'>): boolean {
  const holder = processOf(leader.pid)
  return holder !== null && holder.startTime !== leader.startTime
}

function addDescendants(found: Set<Proc>, table: Proc[]): void {
  const children = new Map<number, Proc[]>()
  for (const proc of table) {
    const siblings = children.get(proc.parent)
    if (siblings === undefined) children.set(proc.parent, [proc])
    else siblings.push(proc)
  }
  // A Set goes on over what is added while it is walked: children, then their children.
  for (const proc of found) {
    for (const child of children.get(proc.pid) ?? []) found.add(child)
  }
}

/** The group in one call, so that nobody slips through by forking; the others one by one. */
function signal(procs: Proc[], { leader }: Wanted, name: NodeJS.Signals): void {
  const grouped = (proc: Proc) => leader !== null && proc.group === leader.pid
  if (leader !== null && procs.some(grouped)) send(-leader.pid, name)
  for (const proc of procs) {
    if (!grouped(proc) && isRunning(proc)) send(proc.pid, name)
  }
}

/** False: gone meanwhile, or not ours to signal. A negative target is a group. */
export function send(target: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(target, name)
  } catch {
    return false
  }
}

/** Those that still live when nothing was left to wait for, or when the time is over. */
async function waitUntilGone(
  wanted: Wanted,
  known: Map<number, Proc>,
  { clock, ms }: { clock: Clock; ms: Millis },
): Promise<Proc[]> {
  const due = clock.up() + ms
  let pause = 4
  while (clock.up() < due) {
    await new Promise<void>((resolve) => void clock.after(pause, resolve))
    pause = Math.min(pause * 2, 50)
    // Looking at those we know is cheap; the whole table is read only when they are gone.
    if ([...known.values()].some(isRunning)) continue
    if (search(wanted, known).length === 0) return []
  }
  return search(wanted, known)
}
