/** Tasks as the dashboard shows them: a tree that can be folded and filtered, with what blocks each task and what it cost. */
import { listWithMore } from '../text/format-amounts.ts'
import { shownStatus, type ShownStatus, type Task, type TaskCounts, type TaskId } from '../tasks/task.ts'

export interface TaskBoard {
  counts: TaskCounts
  /** Depth first; of a large graph only some of each status. */
  tasks: BoardTask[]
}

export interface BoardTask {
  id: TaskId
  title: string
  /** 0: no parent here. */
  depth: number
  status: ShownStatus
  scheduled: boolean
  children: number
  /** Why it failed, or what it waits for; null: neither. */
  why: string | null
  /** In this run; null: no cost is known yet. */
  usd: number | null
}

export type BoardTaskInput = Pick<
  Task,
  'id' | 'parent' | 'title' | 'status' | 'waits' | 'above' | 'scheduled' | 'children' | 'why'
>

/** `rows`: in display order; one whose parent is not among them is at the top level. */
export function buildBoardTasks(
  rows: readonly BoardTaskInput[],
  { waits, usd }: { waits: ReadonlyMap<TaskId, string[]>; usd: ReadonlyMap<TaskId, number> },
): BoardTask[] {
  const here = new Set(rows.map(({ id }) => id))
  const below = new Map<TaskId | null, BoardTaskInput[]>()
  for (const row of rows) {
    const parent = row.parent !== null && here.has(row.parent) ? row.parent : null
    const extras = below.get(parent)
    if (extras === undefined) below.set(parent, [row])
    else extras.push(row)
  }
  const tasks: BoardTask[] = []
  const walk = (parent: TaskId | null, depth: number): void => {
    for (const row of below.get(parent) ?? []) {
      const { id, title, scheduled, children } = row
      const why = whyOf(row, waits.get(id) ?? [])
      tasks.push({ id, title, depth, status: shownStatus(row), scheduled, children, why, usd: usd.get(id) ?? null })
      walk(id, depth + 1)
    }
  }
  walk(null, 0)
  return tasks
}

function whyOf(row: BoardTaskInput, waits: string[]): string | null {
  const status = shownStatus(row)
  if (status === 'failed') return row.why
  if (status === 'blocked')
    return waits.length > 0 ? `waits for ${listWithMore(waits, row.waits - waits.length)}` : 'its parent is blocked'
  return status === 'pending' && row.scheduled ? 'scheduled for later' : null
}

/** The filters, in the order in which a key switches through them. */
export const BOARD_FILTERS = ['all', 'open', 'blocked', 'failed'] as const
export type BoardFilter = (typeof BOARD_FILTERS)[number]

/** The visible tasks: those that match the filter with all their ancestors, and none below a folded one. */
export function visibleBoardTasks(
  tasks: readonly BoardTask[],
  { filter, folded }: { filter: BoardFilter; folded: readonly TaskId[] },
): BoardTask[] {
  const kept = new Set<BoardTask>()
  const above: BoardTask[] = []
  for (const task of tasks) {
    above.length = task.depth
    above[task.depth] = task
    if (fits(task, filter)) for (const one of above) kept.add(one)
  }
  let hidden = Infinity
  return tasks.filter((task) => {
    if (task.depth > hidden) return false
    hidden = folded.includes(task.id) ? task.depth : Infinity
    return kept.has(task)
  })
}

/** How many leaves match the filter but were not read; a line below the list shows it. */
export function omittedTaskCount({ counts, tasks }: TaskBoard, filter: BoardFilter): number {
  const read = tasks.filter((task) => task.children === 0 && fits(task, filter)).length
  const there = { ...counts, open: counts.all - counts.done }[filter]
  return Math.max(0, there - read)
}

function fits({ status }: BoardTask, filter: BoardFilter): boolean {
  if (filter === 'all') return true
  return filter === 'open' ? status !== 'done' : status === filter
}
