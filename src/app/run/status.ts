/** The status of a project: its active run, or how the last run ended. Read from the store, without the engine. */
import type { Instant, RunId } from '../../core/ids.ts'
import { closedBreaker, type Breaker } from '../../core/admission/breaker.ts'
import { hourStart, type HourlyUsage } from '../../core/admission/quota.ts'
import type { FeatureAfterRun } from '../../core/presentation/advice.ts'
import type { OpenQuestion } from '../../core/presentation/answer-to-agent.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { TaskOverview } from '../../core/tasks/task.ts'
import { lockOwnerOf, type LockOwner } from '../../store/lock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lostRowsMessage } from '../../store/db/last-row-note.ts'
import { loadQuestionsShown } from '../../store/questions.ts'
import { findResetAfter } from '../../store/resets.ts'
import { loadLatestRun, type RunEntry } from '../../store/runs.ts'
import { loadBreaker } from '../../store/run-state.ts'
import { loadTaskOverview } from '../../store/task/task-counts.ts'
import { loadRustImportReport } from '../../store/task/rust-import-state.ts'
import { usageSince } from '../../store/usage.ts'
import { systemClock } from '../../system/clock.ts'
import { hasBashState } from '../../sources/bash-state.ts'
import type { Outcome } from '../../core/state/outcome.ts'
import { projectFoldersOf, withStoreIfAny } from '../open-store.ts'
import { hasRustTasks } from '../task/rust-tasks.ts'
import { findFeatureAfterRun } from './feature-after-run.ts'
import { currentViewOf } from './current-status.ts'
import { findUndoOf, type RunUndo } from '../undo/run-undo.ts'

export interface ProjectStatus {
  root: string
  run: RunId | null
  /** Null: nothing has run yet. */
  view: RunView | null
  /** Those of the run, or all if nothing has run; null: a plain loop, or there are none. */
  tasks: TaskOverview | null
  /** Nothing has run, and there are tasks of the Rust tool that are not imported yet. */
  tasksAwait: boolean
  /** As in `ralph circuit`: the breaker of the active run, or as the next run would find it. */
  breaker: Breaker
  /** Usage in this hour by every run of the project; it decides whether the next call is admitted. */
  used: HourlyUsage
  /** The process that works here now. */
  lockOwner: Pick<LockOwner, 'pid' | 'command' | 'since'> | null
  /** The last run has not ended and no process runs it, after a crash or a pause; a run that the user left has its own status. */
  cutOff: boolean
  /** How many rows a newer Ralph wrote that this version cannot read. */
  unknown: number
  /** What the store lost, as text. */
  lost: string | null
  /** The last run was undone. */
  undone: RunUndo | null
  /** What happened to the feature of the last run after its end. */
  since: FeatureAfterRun | null
  /** Open questions of agents, of whichever run. */
  questions: OpenQuestion[]
}

export async function loadProjectStatus(root: string): Promise<ProjectStatus> {
  const at = systemClock().at()
  const status = await withStoreIfAny(root, async ({ sql, lost }) => {
    const lockOwner = await lockOwnerOf(sql, root)
    const last = await loadLatestRun(sql, root)
    const { view: told, unknown } = last === null ? { view: null, unknown: 0 } : await currentViewOf(sql, last)
    const view = told === null ? null : await withCommitsSince(root, told)
    return {
      root,
      run: last?.id ?? null,
      view,
      tasks: await tasksOf(sql, { last, view, at }),
      tasksAwait: last === null && hasRustTasks(root) && (await loadRustImportReport(sql)) === null,
      breaker: (await breakerOf(sql, root, { last, at })) ?? closedBreaker(at),
      used: await usageSince(sql, hourStart(at)),
      lockOwner,
      cutOff: last !== null && last.end === null && lockOwner === null && view?.is !== 'left',
      unknown,
      lost: lost === null ? null : lostRowsMessage(lost),
      undone: last === null ? null : await findUndoOf(sql, last.id),
      since: view === null ? null : await findFeatureAfterRun(sql, { ...view, root }),
      questions: await loadQuestionsShown(sql, root),
    }
  })
  return status ?? nothingYet(root, at)
}

async function tasksOf(
  sql: Sql,
  { last, view, at }: { last: RunEntry | null; view: RunView | null; at: Instant },
): Promise<TaskOverview | null> {
  if (last !== null) return view === null || view.tasks === null ? null : loadTaskOverview(sql, view.tasks, at)
  const tasks = await loadTaskOverview(sql, { is: 'all' }, at)
  return tasks.counts.all === 0 ? null : tasks
}

/** From the state of the last run. Without one, as a new run would take it over. */
async function breakerOf(
  sql: Sql,
  root: string,
  { last, at }: { last: RunEntry | null; at: Instant },
): Promise<Breaker | null> {
  // Nothing has run in this tree, such as a new worktree, so only the bash tool can have left a breaker.
  if (last === null && !hasBashState(root)) return null
  const breaker = last === null ? null : await loadBreaker(sql, last.id)
  if (last === null || breaker === null) {
    const { readBreakerAndConversation } = await import('../steer/breaker-and-conversation.ts')
    return (await readBreakerAndConversation(sql, root, at)).breaker
  }
  const wasReset = last.end !== null && (await findResetAfter(sql, root, 'breaker', last.id)) !== null
  return wasReset ? null : breaker
}

/** Files that the run left uncommitted may have been committed since. */
async function withCommitsSince(root: string, view: RunView): Promise<RunView> {
  const { uncommitted, ...outcome } = view.outcome ?? {}
  if (view.outcome === null || uncommitted?.paths === undefined) return view
  const { isCommitted } = await import('../../workspace/repo/branch-and-changes.ts')
  const { repo } = await projectFoldersOf(root)
  return (await isCommitted(repo, uncommitted.paths)) ? { ...view, outcome: outcome as Outcome } : view
}

function nothingYet(root: string, at: Instant): ProjectStatus {
  return {
    root,
    run: null,
    view: null,
    tasks: null,
    tasksAwait: hasRustTasks(root),
    breaker: closedBreaker(at),
    used: { calls: 0, tokens: 0 },
    lockOwner: null,
    cutOff: false,
    unknown: 0,
    lost: null,
    undone: null,
    since: null,
    questions: [],
  }
}
