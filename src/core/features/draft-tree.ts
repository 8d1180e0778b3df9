/** The tasks of a task file in tree order, also of an invalid one: a person who fixes it must see all tasks. */
import type { DraftTask } from './task-file.ts'

export interface DraftTreeRow {
  task: DraftTask
  /** 0 at the top. */
  depth: number
  /** It is the last one among its siblings. */
  last: boolean
}

/** Depth-first. A task with an unknown parent, or in a cycle of parents, is at the top level. */
export function draftTaskTree(tasks: DraftTask[]): DraftTreeRow[] {
  const keys = new Set(tasks.map(({ key }) => key))
  const below = new Map<string | null, DraftTask[]>()
  for (const task of tasks) {
    const parent = task.parent !== null && keys.has(task.parent) ? task.parent : null
    below.set(parent, [...(below.get(parent) ?? []), task])
  }
  const tree: DraftTreeRow[] = []
  const placed = new Set<DraftTask>()
  const place = (extras: DraftTask[], depth: number): void => {
    for (const task of extras) {
      if (placed.has(task)) continue
      placed.add(task)
      tree.push({ task, depth, last: task === extras.at(-1) })
      place(below.get(task.key) ?? [], depth + 1)
    }
  }
  place(below.get(null) ?? [], 0)
  for (const task of tasks) place([task], 0)
  return tree
}
