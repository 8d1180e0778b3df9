/** The tasks of a document in the order of their tree, also of one that is wrong: whoever mends it must see all of it. */
import type { DraftTask } from './task-file.ts'

export interface DraftTreeRow {
  task: DraftTask
  /** 0 at the top. */
  depth: number
  /** None beside it comes after it. */
  last: boolean
}

/** Each with all below it before the next one beside it. Whose parent nobody knows, or who lies below itself, stands at the top. */
export function draftTree(tasks: DraftTask[]): DraftTreeRow[] {
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
