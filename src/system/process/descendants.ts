/** Who descends from whom, and whom nobody leads to any more: pure questions to a table of processes. */
import { startedEarlier, type ProcessKey, type Proc } from './process-table.ts'

/** The roots and all that descend from them. */
export function withDescendants(table: Iterable<Proc>, roots: Iterable<Proc>): Set<Proc> {
  const children = new Map<number, Proc[]>()
  for (const proc of table) {
    const siblings = children.get(proc.parent)
    if (siblings === undefined) children.set(proc.parent, [proc])
    else siblings.push(proc)
  }
  const found = new Set(roots)
  // A Set goes on over what is added while it is walked: children, then their children.
  for (const proc of found) {
    // A table is read row by row: one that is older than its parent has a parent that took a dead one's pid meanwhile.
    for (const child of children.get(proc.pid) ?? []) if (!startedEarlier(child, proc)) found.add(child)
  }
  return found
}

/** The very same process, not another one with its pid. */
export function isSameProcess(one: ProcessKey, other: ProcessKey | undefined): boolean {
  return other !== undefined && one.pid === other.pid && one.startTime === other.startTime
}

export interface OrphanQuery {
  /** Does this process take in those whose parent has died? */
  isReaper: (pid: number) => boolean
  /** Those that began before it were there before. */
  since: ProcessKey
}

/** Processes that began after `since`, have lost their parent and belong to no terminal. */
export function orphanedSince(table: Iterable<Proc>, { isReaper, since }: OrphanQuery): Proc[] {
  return [...table].filter(
    (proc) =>
      !proc.terminal &&
      !proc.zombie &&
      !isSameProcess(proc, since) &&
      !startedEarlier(proc, since) &&
      isReaper(proc.parent),
  )
}
