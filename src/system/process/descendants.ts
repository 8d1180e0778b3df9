/** Pure queries on a process table: descendants, and processes that have lost their parent. */
import { startedEarlier, type ProcessKey, type Proc } from './process-table.ts'

/** The roots and all their descendants. */
export function rootsAndDescendants(table: Iterable<Proc>, roots: Iterable<Proc>): Set<Proc> {
  const children = new Map<number, Proc[]>()
  for (const proc of table) {
    const siblings = children.get(proc.parent)
    if (siblings === undefined) children.set(proc.parent, [proc])
    else siblings.push(proc)
  }
  const found = new Set(roots)
  // A Set iterates over entries added during the loop: children, then their children.
  for (const proc of found) {
    // A table is read row by row: a process older than its parent is not its child; the parent has meanwhile reused a dead process's pid.
    for (const child of children.get(proc.pid) ?? []) if (!startedEarlier(child, proc)) found.add(child)
  }
  return found
}

/** Whether both are the same process, not another one with the same pid. */
export function isSameProcess(one: ProcessKey, other: ProcessKey | undefined): boolean {
  return other !== undefined && one.pid === other.pid && one.startTime === other.startTime
}

export interface OrphanQuery {
  /** Whether this process adopts those whose parent has died. */
  isReaper: (pid: number) => boolean
  /** Processes that began before this one are not meant. */
  since: ProcessKey
}

/** Processes that began after `since`, have lost their parent and belong to no terminal. */
export function orphansStartedAfter(table: Iterable<Proc>, { isReaper, since }: OrphanQuery): Proc[] {
  return [...table].filter(
    (proc) =>
      !proc.terminal &&
      !proc.zombie &&
      !isSameProcess(proc, since) &&
      !startedEarlier(proc, since) &&
      isReaper(proc.parent),
  )
}
