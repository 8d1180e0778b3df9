/**
 * A task and its fields. Tasks are a tree of parents and children with edges from blocker to blocked; only leaves are worked on.
 * `transition.ts` decides what follows from a change; the store keeps the rows.
 */
import type { Instant } from '../ids.ts'
import type { PartCounts } from './rollup.ts'

/** `t-` and five letters or digits, or an id from a person or an older tool. */
export type TaskId = string
/** `f-` and five letters or digits, or an id from an older tool. */
export type FeatureId = string

export const TASK_STATUSES = ['pending', 'in_progress', 'done', 'failed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]
/** The status that screens show. */
export type ShownStatus = (typeof SHOWN_STATUSES)[number]
export const SHOWN_STATUSES = ['pending', 'blocked', 'in_progress', 'done', 'failed'] as const

/** The result of a review. */
export type TaskReviewResult = 'passed' | 'failed'

export interface Task {
  id: TaskId
  /** The order of arrival. */
  n: number
  parent: TaskId | null
  feature: FeatureId | null
  title: string
  description: string
  /** For a task with children: rolled up from theirs. */
  status: TaskStatus
  /** Lower comes first. */
  priority: number
  /** Null: the setting's value. */
  maxRetries: number | null
  notBefore: Instant | null
  /** Commands that must succeed before this task is done. */
  checks: string[]
  /** Globs of tests that this task may change. */
  tests: string[]
  /** Acceptance criteria, in words. */
  criteria: string[]
  children: number
  childrenDone: number
  childrenFailed: number
  childrenGoing: number
  /** Its own blockers that are not done. */
  waits: number
  /** Its ancestors that have unfinished blockers. */
  above: number
  /** Its earliest start was still to come at the last write. */
  scheduled: boolean
  /** The number of the newest claim, 0 before the first. */
  attempt: number
  /** How often its pipeline jumped back, as reported by its claims. */
  retries: number
  verification: TaskReviewResult | null
  /** Why it failed, or who marked it done. */
  why: string | null
  /** `run/worker` of the current claim. */
  claimedBy: string | null
  archivedAt: Instant | null
  createdAt: Instant
  updatedAt: Instant
}

/** The input for a new task. */
export interface NewTask extends Pick<
  Task,
  'title' | 'description' | 'parent' | 'priority' | 'maxRetries' | 'notBefore' | 'checks' | 'tests' | 'criteria'
> {
  /** Null: a random id. */
  id: TaskId | null
  blockers: TaskId[]
  /** A name or an id; an unknown name creates a feature. Null: the parent's feature. */
  feature: string | null
  /** The line it was read from, for errors. */
  line?: number
  /** Its history in another tool. For a task with children only the times count. */
  past?: ImportedTaskState
}

export interface ImportedTaskState extends Pick<Task, 'why' | 'retries' | 'verification' | 'createdAt' | 'updatedAt'> {
  status: 'pending' | 'done' | 'failed'
}

/** A new task with nothing but a title. */
export function newTask(title: string, said: Partial<NewTask> = {}): NewTask {
  return {
    id: null,
    title,
    description: '',
    parent: null,
    blockers: [],
    feature: null,
    priority: 0,
    maxRetries: null,
    notBefore: null,
    checks: [],
    tests: [],
    criteria: [],
    ...said,
  }
}

/** `blocker` must be done before `blocked`. */
export interface BlockerEdge {
  blocker: TaskId
  blocked: TaskId
}

/** Which tasks a run looks at. */
export type TaskScope = { is: 'all' } | { is: 'feature'; feature: FeatureId } | { is: 'task'; task: TaskId }

/** The key of a scope in the table of ready tasks. */
export function scopeKey(scope: TaskScope): string {
  switch (scope.is) {
    case 'all':
      return 'all'
    case 'feature':
      return `f:${scope.feature}`
    case 'task':
      return `t:${scope.task}`
  }
}

/** What a worker gets with a claim; `retries`: those that earlier, unfinished claims reported. */
export type ClaimedTask = Pick<
  Task,
  'id' | 'attempt' | 'title' | 'feature' | 'maxRetries' | 'checks' | 'tests' | 'retries'
>

/** Counts of leaves by state: `all` is the sum of the others. */
export interface TaskCounts extends PartCounts {
  ready: number
  blocked: number
  scheduled: number
}

/** Why there is nothing to claim. */
export interface NothingReady {
  counts: TaskCounts
  /** The earliest moment at which a task becomes ready by itself; null: never. */
  until: Instant | null
  /** Some of the blocked tasks, each with some of its blockers. */
  waiting: { task: TaskId; title: string; for: UnfinishedBlocker[] }[]
  /** Some of the failed tasks, and why. */
  failed: { task: TaskId; title: string; why: string | null }[]
}

/** The tasks of a scope as screens show them. */
export type TaskOverview = Pick<NothingReady, 'counts' | 'waiting' | 'failed'>

/** How a claim ends; `released`: the task is pending again without a failure. */
export type ClaimEnd = 'done' | 'failed' | 'released'

export interface UnfinishedBlocker {
  task: TaskId
  title: string
  status: TaskStatus
}

export type FeatureStage = 'draft' | 'planned' | 'ready'

export interface Feature {
  id: FeatureId
  n: number
  name: string
  stage: FeatureStage
  spec: string | null
  plan: string | null
  /** The hash of the last accepted document; null: none. */
  accepted: string | null
  /** Counts of its leaves. */
  tasks: number
  done: number
  failed: number
  going: number
  createdAt: Instant
  updatedAt: Instant
}

/** The input for a new feature. */
export interface NewFeature extends Pick<Feature, 'name' | 'stage' | 'spec' | 'plan'> {
  /** Null: a random id. */
  id: FeatureId | null
}

/** A feature from another tool, with its times there. */
export type ImportedFeature = NewFeature & Pick<Feature, 'createdAt' | 'updatedAt'>

/** What followed from a change by itself; screens show it. */
export type DerivedChange =
  | {
      is: 'unblocked' | 'blocked' | 'parent-done' | 'parent-failed' | 'parent-healed'
      task: TaskId
      title: string
    }
  | { is: 'feature-done' | 'feature-failed' | 'feature-healed'; feature: FeatureId; name: string }

export type TaskLogKind = 'note' | 'guidance' | 'failed' | 'verified' | 'summary' | 'moved'

export interface TaskLogEntry {
  n: number
  task: TaskId
  at: Instant
  /** An agent's name, `ralph`, or `human`. */
  author: string
  kind: TaskLogKind
  text: string
}

/** An agent's summary of a finished task, in a line or two. */
export interface AgentTaskSummary {
  by: string
  text: string
}

type Shown = Pick<Task, 'status' | 'waits' | 'above'>

export function shownStatus(task: Shown): ShownStatus {
  return task.status === 'pending' && isBlocked(task) ? 'blocked' : task.status
}

export function isBlocked({ waits, above }: Pick<Task, 'waits' | 'above'>): boolean {
  return waits > 0 || above > 0
}

/** A pending leaf without open blockers whose earliest start has passed. */
export function isReady(task: Shown & Pick<Task, 'children' | 'scheduled' | 'archivedAt'>): boolean {
  return (
    task.status === 'pending' && task.children === 0 && !isBlocked(task) && !task.scheduled && task.archivedAt === null
  )
}
