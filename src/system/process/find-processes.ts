/**
 * Finds the processes that are to be ended, look after look. A group can be left (`setsid`), a parent can die before its children and
 * an environment can be cleared, so they are found in four ways: by group, by parent, by mark, and by what was noted while they ran.
 * Only newcomers are read at a second look, so a look is quick enough to meet a process that lives for a millisecond.
 */
import { isSameProcess, withDescendants } from './descendants.ts'
import { createMarkFinder, type ProcessMark, type MarkedProcesses } from './process-mark.ts'
import {
  startedEarlier,
  isPidOrderReliable,
  type ProcessKey,
  listPids,
  livingProcesses,
  type Proc,
  processOf,
  stillRunning,
} from './process-table.ts'

export interface ProcessTarget {
  /** The leader of a process group of ours; its group and its descendants are meant too. */
  leader: ProcessKey | null
  /** What the machine had started before the leader: it spares us reading those that were there already. */
  startedBefore?: number | null
  /** A process that carries one of them is meant, with its descendants. */
  marks: ProcessMark[]
  /** What was seen to descend from it until now; asked for at every look. */
  noted: () => Iterable<ProcessKey>
}

export interface ProcessSearch {
  /** Looks once more; `onFound` hears of those that were not found before. True: there were none, and none was missed. */
  look(onFound: (procs: Proc[]) => void): boolean
  /** Those of the found that live. */
  alive(): Proc[]
  /** How many were found in all. */
  found(): number
  /** Everybody that was there at the last look, but for those who surely came before the leader. */
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
    for (const proc of stillRunning(others())) roots.add(proc)
    const more = [...withDescendants(allProcesses(), roots)].filter(
      (proc) => !isFound(proc) && proc.pid !== process.pid,
    )
    for (const proc of more) found.set(proc.pid, proc)
    onFound(more)
    return !missed && more.length === 0
  }

  /** Nobody with a lower pid came after the leader. */
  function lowest(): number {
    return leader !== null && isPidOrderReliable(leader.pid, startedBefore) ? leader.pid : 0
  }

  function allProcesses(): Proc[] {
    return [...table.values()].filter(({ zombie }) => !zombie)
  }

  function isFound(proc: ProcessKey): boolean {
    return isSameProcess(proc, found.get(proc.pid))
  }

  /** The noted, and the leader itself: some machines (Windows) list no processes, but tell of one by its pid. */
  function others(): ProcessKey[] {
    return [...noted(), ...(leader === null ? [] : [leader])].filter((known) => !isFound(known))
  }

  /** Spares us the reading of most environments: nothing that was there before the leader is of its making. */
  function carriers(procs: Proc[]): MarkedProcesses {
    if (read === null) return { marked: [], unsure: [] }
    return read(procs.filter((proc) => leader === null || leader.startTime === '' || !startedEarlier(proc, leader)))
  }

  return {
    look,
    alive: () => stillRunning([...found.values()]),
    found: () => found.size,
    allProcesses,
  }
}

/** Brings the table up to date. `missed`: somebody came and went before it was read, perhaps after it had started another. Zombies
 *  stay in the table, so that each is read once. */
function takeNewcomers(table: Map<number, Proc>, lowest: number): { fresh: Proc[]; missed: boolean } {
  const pids = listPids()?.filter((pid) => pid >= lowest) ?? null
  const listed = pids === null ? livingProcesses() : pids.filter((pid) => !table.has(pid)).map(processOf)
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

/** Has a stranger the leader's pid by now? It is not given out while the group lives, so then the group is not ours either. */
function isTaken(leader: ProcessKey): boolean {
  const now = processOf(leader.pid)
  return now !== null && now.startTime !== leader.startTime
}
