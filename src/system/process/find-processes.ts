/**
 * Finds the processes to end, search after search. A process can leave its group (`setsid`), outlive its parent and clear its
 * environment, so there are four criteria: group, parent, mark, and the notes taken while it ran. A second search reads only new
 * processes, so it is fast enough to catch one that lives for a millisecond.
 */
import { isSameProcess, rootsAndDescendants } from './descendants.ts'
import { createMarkFinder, type ProcessMark, type MarkedProcesses } from './process-mark.ts'
import {
  startedEarlier,
  isPidOrderReliable,
  type ProcessKey,
  listPids,
  livingProcesses,
  type Proc,
  findProcess,
  filterRunning,
} from './process-table.ts'

export interface ProcessTarget {
  /** The leader of a process group of ours; its group and its descendants are included. */
  leader: ProcessKey | null
  /** How many processes the machine had started before the leader: saves reading older ones. */
  startedBefore?: number | null
  /** Processes with one of these marks are included, with their descendants. */
  marks: ProcessMark[]
  /** The descendants recorded so far; read at every search. */
  noted: () => Iterable<ProcessKey>
}

export interface ProcessSearch {
  /** Searches once more; `onFound` gets the newly found ones. True: there were none, and none was missed. */
  look(onFound: (procs: Proc[]) => void): boolean
  /** The found processes that still live. */
  alive(): Proc[]
  /** How many were found in total. */
  found(): number
  /** All processes of the last search, except those that are certainly older than the leader. */
  allProcesses(): Proc[]
}

export function openProcessSearch({ leader, startedBefore = null, marks, noted }: ProcessTarget): ProcessSearch {
  const read = marks.length === 0 ? null : createMarkFinder(marks)
  const table = new Map<number, Proc>()
  const found = new Map<number, Proc>()
  let doubtful: Proc[] = []

  function look(onFound: (procs: Proc[]) => void): boolean {
    const { fresh, missed } = takeNewcomers(table, lowest())
    const taken = leader !== null && isTaken(leader)
    const { marked, unsure } = carriers([
      ...doubtful.filter((proc) => isSameProcess(proc, table.get(proc.pid))),
      ...fresh,
    ])
    doubtful = unsure
    const roots = new Set(marked)
    for (const proc of allProcesses()) {
      if (isFound(proc) || (!taken && isLed(proc, leader))) roots.add(proc)
    }
    for (const proc of filterRunning(others())) roots.add(proc)
    const more = [...rootsAndDescendants(allProcesses(), roots)].filter(
      (proc) => !isFound(proc) && proc.pid !== process.pid,
    )
    for (const proc of more) found.set(proc.pid, proc)
    onFound(more)
    return !missed && more.length === 0
  }

  /** No process with a lower pid is younger than the leader. */
  function lowest(): number {
    return leader !== null && isPidOrderReliable(leader.pid, startedBefore) ? leader.pid : 0
  }

  function allProcesses(): Proc[] {
    return [...table.values()].filter(({ zombie }) => !zombie)
  }

  function isFound(proc: ProcessKey): boolean {
    return isSameProcess(proc, found.get(proc.pid))
  }

  /** The recorded ones, and the leader itself: some machines (Windows) list no processes, but can look one up by its pid. */
  function others(): ProcessKey[] {
    return [...noted(), ...(leader === null ? [] : [leader])].filter((known) => !isFound(known))
  }

  /** Skips most environments: processes older than the leader cannot descend from it. */
  function carriers(procs: Proc[]): MarkedProcesses {
    if (read === null) return { marked: [], unsure: [] }
    return read(procs.filter((proc) => leader === null || leader.startTime === '' || !startedEarlier(proc, leader)))
  }

  return { look, alive: () => filterRunning([...found.values()]), found: () => found.size, allProcesses }
}

/** Updates the table. `missed`: a process came and went before it was read, perhaps after starting another. Zombies stay in the table,
 *  so that each is read once. */
function takeNewcomers(table: Map<number, Proc>, lowest: number): { fresh: Proc[]; missed: boolean } {
  const pids = listPids()?.filter((pid) => pid >= lowest) ?? null
  const listed = pids === null ? livingProcesses() : pids.filter((pid) => !table.has(pid)).map(findProcess)
  const fresh = listed.filter((proc) => proc !== null).filter((proc) => !isSameProcess(proc, table.get(proc.pid)))
  const there = new Set(pids ?? listed.map((proc) => proc?.pid))
  for (const pid of table.keys()) if (!there.has(pid)) table.delete(pid)
  for (const proc of fresh) table.set(proc.pid, proc)
  return {
    fresh: fresh.filter(({ zombie }) => !zombie),
    missed: listed.includes(null) || fresh.some(({ zombie }) => zombie),
  }
}

function isLed(proc: Proc, leader: ProcessKey | null): boolean {
  return leader !== null && (proc.pid === leader.pid || proc.group === leader.pid)
}

/** Whether another process has the leader's pid by now. A pid is not reused while its group lives, so then the group is not ours
 *  either. */
function isTaken(leader: ProcessKey): boolean {
  const now = findProcess(leader.pid)
  return now !== null && now.startTime !== leader.startTime
}
