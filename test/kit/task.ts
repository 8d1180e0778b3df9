/** The task graph as anybody would reckon it on document: nothing is kept, everything is found anew by looking at all of it. */
import { isReady, type TaskScope, type TaskId, type TaskStatus } from '../../src/core/tasks/task.ts'

export interface ModelTask {
  id: TaskId
  n: number
  parent: TaskId | null
  feature: string | null
  /** Counts only while it has no children. */
  own: TaskStatus
  priority: number
  notBefore: number | null
  scheduled: boolean
  attempt: number
  held: boolean
  /** It has a claim behind it, or somebody's words. */
  history: boolean
}

export interface Model {
  tasks: Map<TaskId, ModelTask>
  /** `blocker blocked`. */
  edges: Set<string>
}

export function emptyModel(): Model {
  return { tasks: new Map(), edges: new Set() }
}

export function modelEdge(blocker: TaskId, blocked: TaskId): string {
  return `${blocker} ${blocked}`
}

export function edgesIn({ edges }: Model): { blocker: TaskId; blocked: TaskId }[] {
  return [...edges].map((edge) => {
    const [blocker = '', blocked = ''] = edge.split(' ')
    return { blocker, blocked }
  })
}

export function childrenIn(model: Model, id: TaskId): ModelTask[] {
  return [...model.tasks.values()].filter(({ parent }) => parent === id)
}

export function belowIn(model: Model, id: TaskId): ModelTask[] {
  return childrenIn(model, id).flatMap((child) => [child, ...belowIn(model, child.id)])
}

/** The parent first. */
export function ancestorsIn(model: Model, id: TaskId): TaskId[] {
  const parent = model.tasks.get(id)?.parent ?? null
  return parent === null ? [] : [parent, ...ancestorsIn(model, parent)]
}

export function blockersIn(model: Model, id: TaskId): TaskId[] {
  return edgesIn(model)
    .filter(({ blocked }) => blocked === id)
    .map(({ blocker }) => blocker)
}

export function statusIn(model: Model, id: TaskId): TaskStatus {
  const statuses = childrenIn(model, id).map((child) => statusIn(model, child.id))
  if (statuses.length === 0) return model.tasks.get(id)?.own ?? 'pending'
  if (statuses.every((status) => status === 'done')) return 'done'
  if (statuses.includes('failed')) return 'failed'
  return statuses.includes('in_progress') ? 'in_progress' : 'pending'
}

export function waitsIn(model: Model, id: TaskId): number {
  return blockersIn(model, id).filter((blocker) => statusIn(model, blocker) !== 'done').length
}

/** What a store keeps of a task, in the words of the store. */
export function factsIn(model: Model, task: ModelTask) {
  const children = childrenIn(model, task.id).map((child) => statusIn(model, child.id))
  const count = (status: TaskStatus): number => children.filter((one) => one === status).length
  return {
    id: task.id,
    n: task.n,
    parent: task.parent,
    feature: task.feature,
    status: statusIn(model, task.id),
    priority: task.priority,
    children: children.length,
    childrenDone: count('done'),
    childrenFailed: count('failed'),
    childrenGoing: count('in_progress'),
    waits: waitsIn(model, task.id),
    above: ancestorsIn(model, task.id).filter((id) => waitsIn(model, id) > 0).length,
    scheduled: task.scheduled,
    attempt: task.attempt,
    claimed: task.held,
  }
}

/** All scopes there are, each with what is ready in it, in order. */
export function readyIn(model: Model): Record<string, TaskId[]> {
  const found: Record<string, TaskId[]> = {}
  const ready = [...model.tasks.values()]
    .filter((task) => isReady({ ...factsIn(model, task), archivedAt: null }))
    .toSorted((a, b) => a.priority - b.priority || a.n - b.n)
  for (const task of ready) {
    const scopes = ['all', ...[task.id, ...ancestorsIn(model, task.id)].map((id) => `t:${id}`)]
    if (task.feature !== null) scopes.push(`f:${task.feature}`)
    for (const scope of scopes) (found[scope] ??= []).push(task.id)
  }
  return found
}

export function inScope(model: Model, task: ModelTask, scope: TaskScope): boolean {
  switch (scope.is) {
    case 'all':
      return true
    case 'feature':
      return task.feature === scope.feature
    case 'task':
      return [task.id, ...ancestorsIn(model, task.id)].includes(scope.task)
  }
}

/** Whether a task waits for itself: for its blockers, its children, and the blockers of what it lies below. */
export function hasCycle(model: Model): boolean {
  const next = (id: TaskId): TaskId[] => [
    ...childrenIn(model, id).map((child) => child.id),
    ...[id, ...safeAncestors(model, id)].flatMap((one) => blockersIn(model, one)),
  ]
  return [...model.tasks.keys()].some((id) => {
    if (safeAncestors(model, id).includes(id)) return true
    const seen = new Set<TaskId>()
    const wanted = next(id)
    for (let at = wanted.pop(); at !== undefined; at = wanted.pop()) {
      if (at === id) return true
      if (seen.has(at)) continue
      seen.add(at)
      wanted.push(...next(at))
    }
    return false
  })
}

/** Ends where it comes round. */
function safeAncestors(model: Model, id: TaskId): TaskId[] {
  const found: TaskId[] = []
  for (let at = model.tasks.get(id)?.parent ?? null; at !== null; at = model.tasks.get(at)?.parent ?? null) {
    if (found.includes(at)) break
    found.push(at)
  }
  return found
}

/** By feature: leaves, and those that are done, failed, in progress. */
export function featuresIn(model: Model): Record<string, number[]> {
  const sums: Record<string, number[]> = {}
  for (const task of model.tasks.values()) {
    if (task.feature === null || childrenIn(model, task.id).length > 0) continue
    const statuses: TaskStatus[] = ['done', 'failed', 'in_progress']
    const sum = (sums[task.feature] ??= [0, 0, 0, 0])
    sums[task.feature] = [1, ...statuses.map((status) => Number(task.own === status))].map(
      (one, i) => one + (sum[i] ?? 0),
    )
  }
  return sums
}

/** Does something to the parent of a task, and sees to it that a parent without children is what it had come to. */
export function relinkParents(model: Model, parents: (TaskId | null)[], work: () => void): void {
  const before = parents
    .filter((id) => id !== null)
    .map((id) => ({ id, was: statusIn(model, id), had: childrenIn(model, id).length }))
  work()
  for (const { id, was, had } of before) {
    const task = model.tasks.get(id)
    if (task !== undefined && had > 0 && childrenIn(model, id).length === 0)
      task.own = was === 'done' ? 'done' : 'pending'
  }
}
