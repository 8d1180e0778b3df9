/**
 * A task and what is said of it. Tasks are a tree of parents and children with edges from blocker to blocked; only leaves are worked on.
 * What a change leads to is decided in `transition.ts`; the store keeps the rows.
 */
import type { Instant } from '../ids.ts'

/** `t-` and five letters or digits, or whatever a person or an older tool called it. */
export type TaskId = string
/** `f-` and five letters or digits, or what an older tool called it. */
export type FeatureId = string

export const TASK_STATUSES = ['pending', 'in_progress', 'done', 'failed'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]
/** What screens call it. */
export type ShownStatus = (typeof SHOWN_STATUSES)[number]
export const SHOWN_STATUSES = ['pending', 'blocked', 'in_progress', 'done', 'failed'] as const

/** What a review said of it. */
export type Verification = 'passed' | 'failed'

export interface Task {
  id: TaskId
  /** The order of arrival. */
  n: number
  parent: TaskId | null
  feature: FeatureId | null
  title: string
  description: string
  /** Of a task with children: rolled up from theirs. */
  status: TaskStatus
  /** Lower comes first. */
  priority: number
  /** Null: as the setting says. */
  maxRetries: number | null
  notBefore: Instant | null
  /** Commands that must succeed for this task to count. */
  checks: string[]
  /** Globs of tests that it may change. */
  tests: string[]
  /** What must be true of it, in words. */
  criteria: string[]
  children: number
  childrenDone: number
  childrenFailed: number
  childrenGoing: number
  /** Its own blockers that are not done. */
  waits: number
  /** Its ancestors that have unfinished blockers. */
  above: number
  /** Its time had not come when a writer last looked. */
  scheduled: boolean
  /** The number of the newest claim, 0 before the first. */
  attempt: number
  /** Times that a line jumped back for it, as far as a claim has told. */
  retries: number
  verification: Verification | null
  /** Why it failed, or by whom it was done. */
  why: string | null
  /** `run/worker` of the claim that is held. */
  claimedBy: string | null
  archivedAt: Instant | null
  createdAt: Instant
  updatedAt: Instant
}

/** What somebody who adds a task says of it. */
export interface NewTask extends Pick<
  Task,
  'title' | 'description' | 'parent' | 'priority' | 'maxRetries' | 'notBefore' | 'checks' | 'tests' | 'criteria'
> {
  /** Null: one is drawn. */
  id: TaskId | null
  blockers: TaskId[]
  /** A name or an id; a name that is not known becomes a feature. Null: its parent's. */
  feature: string | null
  /** Where it was read, for errors. */
  line?: number
  /** What became of it elsewhere before. Of a task that gets children only the times count. */
  past?: ImportedTaskState
}

export interface ImportedTaskState extends Pick<Task, 'why' | 'retries' | 'verification' | 'createdAt' | 'updatedAt'> {
  status: 'pending' | 'done' | 'failed'
}

/** A task as somebody writes it down who says nothing but its title. */
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

/** Among which tasks work is looked for. */
export type TaskScope = { is: 'all' } | { is: 'feature'; feature: FeatureId } | { is: 'task'; task: TaskId }

/** As the table of ready tasks names it. */
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

/** What a worker gets that claimed a task; `retries` are those that earlier claims told which did not end it. */
export type ClaimedTask = Pick<
  Task,
  'id' | 'attempt' | 'title' | 'feature' | 'maxRetries' | 'checks' | 'tests' | 'retries'
>

/** Leaves, by what keeps them: `all` is the sum of the others. */
export interface TaskCounts {
  all: number
  done: number
  failed: number
  going: number
  ready: number
  blocked: number
  scheduled: number
}

/** Why there is nothing to claim. */
export interface NothingReady {
  counts: TaskCounts
  /** The earliest moment at which something may become ready by itself; null: never without somebody. */
  until: Instant | null
  /** Some that are blocked, each with some that it waits for. */
  waiting: { task: TaskId; title: string; for: UnfinishedBlocker[] }[]
  /** Some that failed, and why. */
  failed: { task: TaskId; title: string; why: string | null }[]
}

/** How the tasks of a scope stand, as screens show it. */
export type TaskOverview = Pick<NothingReady, 'counts' | 'waiting' | 'failed'>

/** How a claim ends; `released`: the task is pending again, and nobody is to blame. */
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
  /** The digest of the document that was accepted last; null: none was. */
  accepted: string | null
  /** Over its tasks that have no children. */
  tasks: number
  done: number
  failed: number
  going: number
  createdAt: Instant
  updatedAt: Instant
}

/** What is said of a feature that is added. */
export interface NewFeature extends Pick<Feature, 'name' | 'stage' | 'spec' | 'plan'> {
  /** Null: one is drawn. */
  id: FeatureId | null
}

/** One that was made elsewhere, with the times it has there. */
export type ImportedFeature = NewFeature & Pick<Feature, 'createdAt' | 'updatedAt'>

/** What followed by itself from a change, for screens to tell. */
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

/** What an agent said when it was done with a task, in a line or two. */
export interface TaskSummary {
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

/** A pending leaf that waits for nobody and whose time has come. */
export function isReady(task: Shown & Pick<Task, 'children' | 'scheduled' | 'archivedAt'>): boolean {
  return (
    task.status === 'pending' && task.children === 0 && !isBlocked(task) && !task.scheduled && task.archivedAt === null
  )
}
