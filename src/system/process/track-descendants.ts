/**
 * Follows a child while it runs and records its descendants, several times a second: a descendant that leaves its group, loses its parent
 * and clears its environment is known by then, and its own children are followed as well.
 */
import type { Millis } from '../../core/ids.ts'
import { rootsAndDescendants } from './descendants.ts'
import type { DescendantFile } from './descendant-file.ts'
import { childPidsOf, type ProcessKey, livingProcesses, findProcess, filterRunning } from './process-table.ts'

export interface DescendantTracker {
  /** The child and its known living descendants. */
  members(): ProcessKey[]
  /** Adds another child of ours: it and its descendants are members from now on. */
  include(child: ProcessKey): void
  /** The mark of a child that is about to be included. */
  addMark(mark: string): void
  /** Searches at once. */
  look(): void
  /** Nothing of it lives: stops searching and removes the notes. */
  end(): void
}

/** Programs start others as soon as they are loaded, so the first searches follow quickly; each interval is twice the one before. */
const FIRST_MS: Millis = 2
const EVERY_MS: Millis = 200
/** Searching takes at most a hundredth of the time. */
const SHARE = 100
/** Still often enough to notice a server or a watcher on a machine with thousands of processes, or without /proc. */
const SELDOM_MS: Millis = 2000

export function trackDescendants(child: ProcessKey, notes: DescendantFile | null): DescendantTracker {
  const members = new Map<number, ProcessKey>([[child.pid, child]])
  notes?.add([child])
  let timer: NodeJS.Timeout | undefined
  let wait = FIRST_MS

  function look(): void {
    const fresh = newMembers(members)
    if (fresh.length > 0) notes?.add(fresh)
  }

  function lookAgain(): void {
    const began = performance.now()
    look()
    const took = performance.now() - began
    if (members.size === 0) return
    timer = setTimeout(lookAgain, Math.min(Math.max(wait, took * SHARE), SELDOM_MS)).unref()
    wait = Math.min(wait * 2, EVERY_MS)
  }

  timer = setTimeout(lookAgain, wait).unref()
  return {
    members: () => [...members.values()],
    include(other) {
      members.set(other.pid, other)
      notes?.add([other])
    },
    addMark: (mark) => notes?.addMark(mark),
    look,
    end() {
      clearTimeout(timer)
      notes?.remove()
    },
  }
}

/** Updates the members: removes ended processes and adds new children. */
function newMembers(members: Map<number, ProcessKey>): ProcessKey[] {
  const alive = filterRunning([...members.values()])
  const pids = new Set(alive.map(({ pid }) => pid))
  for (const pid of members.keys()) if (!pids.has(pid)) members.delete(pid)
  const before = new Set(members.keys())
  // A Map iterates over entries added during the loop: children, then their children.
  for (const { pid } of members.values()) {
    const children = childPidsOf(pid)
    if (children === null) {
      for (const proc of rootsAndDescendants(livingProcesses(), alive)) members.set(proc.pid, proc)
      break
    }
    for (const child of children) {
      const proc = members.has(child) ? null : findProcess(child)
      if (proc?.parent === pid && !proc.zombie) members.set(child, proc)
    }
  }
  return [...members.values()].filter(({ pid }) => !before.has(pid))
}
