/** A task as JSON: the keys that the Rust tool printed, in its order, then Ralph's own. */
import type { Instant } from '../../core/ids.ts'
import { isReady, shownStatus, type ShownStatus, type Task } from '../../core/tasks/task.ts'
import { isoTime } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadEdges, loadFeatures } from '../../store/task/task-rows.ts'

export interface TaskFacts {
  id: string
  title: string
  description: string
  status: ShownStatus
  parent_id: string | null
  feature_id: string | null
  task_type: 'feature' | 'standalone'
  priority: number
  retry_count: number
  /** Null: `task.max_retries` applies. */
  max_retries: number | null
  verification_status: 'passed' | 'failed' | null
  created_at: string
  updated_at: string
  claimed_by: string | null
  /** Its feature's name. */
  feature: string | null
  /** It can be worked on now. */
  ready: boolean
  /** All its own blockers, done or not. */
  blockers: string[]
  /** How many of its own blockers are not done, and how many of its ancestors have such blockers. */
  waits: number
  waits_above: number
  children: number
  children_done: number
  children_failed: number
  not_before: string | null
  checks: string[]
  tests: string[]
  criteria: string[]
  /** The number of its newest claim. */
  attempt: number
  why: string | null
  archived_at: string | null
}

export async function taskFactsOf(sql: Sql, tasks: Task[], at: Instant): Promise<TaskFacts[]> {
  const blockers = new Map<string, string[]>()
  for (const { blocker, blocked } of await loadEdges(
    sql,
    'blocked',
    tasks.map(({ id }) => id),
  )) {
    const known = blockers.get(blocked)
    if (known === undefined) blockers.set(blocked, [blocker])
    else known.push(blocker)
  }
  const features = await loadFeatures(
    sql,
    tasks.map(({ feature }) => feature),
  )
  const names = new Map(features.map(({ id, name }) => [id, name]))
  return tasks.map((task) =>
    facts(task, {
      at,
      blockers: blockers.get(task.id) ?? [],
      feature: task.feature === null ? null : (names.get(task.feature) ?? null),
    }),
  )
}

function facts(
  task: Task,
  { at, blockers, feature }: { at: Instant; blockers: string[]; feature: string | null },
): TaskFacts {
  const { status, waits, above, children, archivedAt } = task
  const scheduled = task.scheduled && (task.notBefore ?? 0) > at
  return {
    id: task.id,
    title: task.title,
    description: task.description,
    status: shownStatus(task),
    parent_id: task.parent,
    feature_id: task.feature,
    task_type: task.feature === null ? 'standalone' : 'feature',
    priority: task.priority,
    retry_count: task.retries,
    max_retries: task.maxRetries,
    verification_status: task.verification,
    created_at: isoTime(task.createdAt),
    updated_at: isoTime(task.updatedAt),
    claimed_by: task.claimedBy,
    feature,
    ready: isReady({ status, waits, above, children, archivedAt, scheduled }),
    blockers,
    waits,
    waits_above: above,
    children,
    children_done: task.childrenDone,
    children_failed: task.childrenFailed,
    not_before: task.notBefore === null ? null : isoTime(task.notBefore),
    checks: task.checks,
    tests: task.tests,
    criteria: task.criteria,
    attempt: task.attempt,
    why: task.why,
    archived_at: archivedAt === null ? null : isoTime(archivedAt),
  }
}
