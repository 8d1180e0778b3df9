/** What is going on in a project, or how the last run ended: read from the store, without the engine. */
import type { Instant, RunId } from '../../domain/ids.ts'
import { closedBreaker, type Breaker } from '../../domain/admission/breaker.ts'
import { hourStart, type Used } from '../../domain/admission/quota.ts'
import { termsOf, type FeatureSince } from '../../domain/tell/advice.ts'
import { firstWorker } from '../../domain/tell/focus.ts'
import type { View } from '../../domain/tell/view.ts'
import type { TasksNow } from '../../domain/task/task.ts'
import { holderOf, type Holder } from '../../store/holder.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lossWords } from '../../store/db/newest.ts'
import { openQuestions, type AgentQuestion } from '../../store/questions.ts'
import { resetAfter } from '../../store/resets.ts'
import { latestRun, type RunEntry } from '../../store/runs.ts'
import { loadBreaker } from '../../store/state.ts'
import { tasksNow } from '../../store/task/counts.ts'
import { importedProgress } from '../../store/task/imported.ts'
import { usageSince } from '../../store/usage.ts'
import { realClock } from '../../system/clock.ts'
import { hasBashState } from '../../sources/bash-state.ts'
import type { Outcome } from '../../domain/state/outcome.ts'
import { foldersOf, withStore } from '../store-at.ts'
import { hasOldTasks } from '../task/earlier-tool.ts'
import { featureSince } from './feature-since.ts'
import { viewToday } from './run-today.ts'
import { undoneSince, type Undone } from '../undo/undone.ts'
import { RalphError } from '../../domain/error.ts'

export interface Status {
  root: string
  run: RunId | null
  /** Null: nothing has run yet. */
  view: View | null
  /** Those of the run, or all where nothing has run; null: a plain loop, or there is none. */
  tasks: TasksNow | null
  /** Nothing has run, and tasks of the Rust tool lie here that nobody has taken over yet. */
  tasksAwait: boolean
  /** As `ralph circuit` has it: of the run that goes on, or as the next one would find it. */
  breaker: Breaker
  /** In this hour, by every run of the project: what the next call is admitted by. */
  used: Used
  /** The process that works here now. */
  holder: Pick<Holder, 'pid' | 'command' | 'since'> | null
  /** The last run has not ended and nobody serves it: a crash or a pause; one that was left says so itself. */
  cutOff: boolean
  /** Rows that a newer Ralph wrote and nobody here understands. */
  unknown: number
  /** What was written and is not in the store any more, in words. */
  lost: string | null
  /** The last run was taken back. */
  undone: Undone | null
  /** What became of the feature of the last run after its end. */
  since: FeatureSince | null
  /** What agents asked and nobody has answered. */
  questions: Pick<AgentQuestion, 'id' | 'text' | 'task'>[]
}

export async function statusOf(root: string): Promise<Status> {
  const at = realClock().at()
  try {
    return await withStore(root, async ({ sql, lost }) => {
      const holder = await holderOf(sql, root)
      const last = await latestRun(sql, root)
      const { view: told, unknown } = last === null ? { view: null, unknown: 0 } : await viewToday(sql, last)
      const view = told === null ? null : await withCommitsSince(root, told)
      return {
        root,
        run: last?.id ?? null,
        view,
        tasks: await tasksOf(sql, { last, view, at }),
        tasksAwait: last === null && hasOldTasks(root) && (await importedProgress(sql)) === null,
        breaker: (await breakerOf(sql, root, { last, at })) ?? closedBreaker(at),
        used: await usageSince(sql, hourStart(at)),
        holder,
        cutOff: last !== null && last.end === null && holder === null && view?.is !== 'left',
        unknown,
        lost: lost === null ? null : lossWords(lost),
        undone: last === null ? null : await undoneSince(sql, last.id),
        since: view === null ? null : await sinceThen(sql, root, view),
        questions: await questionsNow(sql, last),
      }
    })
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run') return nothingYet(root, at)
    throw error
  }
}

function sinceThen(sql: Sql, root: string, { rules, command, outcome }: View): Promise<FeatureSince | null> {
  return featureSince(sql, { root, begin: termsOf(rules, command).begin, outcome })
}

/** What a screen has room for. */
const QUESTIONS_MAX = 3

/** About tasks that are not done, or of the last loop: what a loop before it wanted to know is past. */
async function questionsNow(sql: Sql, last: RunEntry | null): Promise<Status['questions']> {
  const open = await openQuestions(sql, { limit: 20 })
  return open
    .filter(({ task, run }) => task !== null || run === last?.id)
    .slice(0, QUESTIONS_MAX)
    .map(({ id, text, task }) => ({ id, text, task }))
}

async function tasksOf(
  sql: Sql,
  { last, view, at }: { last: RunEntry | null; view: View | null; at: Instant },
): Promise<TasksNow | null> {
  if (last !== null) return view === null || view.tasks === null ? null : tasksNow(sql, view.tasks, at)
  const tasks = await tasksNow(sql, { is: 'all' }, at)
  return tasks.counts.all === 0 ? null : tasks
}

/** As the state of the last run has it. Where there is none, it is looked for as by who carries it over into a new run. */
async function breakerOf(
  sql: Sql,
  root: string,
  { last, at }: { last: RunEntry | null; at: Instant },
): Promise<Breaker | null> {
  // A tree in which nothing has run, such as a new worktree: only the bash tool can have left one there.
  if (last === null && !hasBashState(root)) return null
  const breaker = last === null ? null : await loadBreaker(sql, last.id)
  if (last === null || breaker === null) {
    const { keptIn } = await import('../steer/breaker-and-conversation.ts')
    return (await keptIn(sql, root, at)).breaker
  }
  const wasReset = last.end !== null && (await resetAfter(sql, root, 'breaker', last.id)) !== null
  return wasReset ? null : breaker
}

/** What lay there in no commit may have been committed since. */
async function withCommitsSince(root: string, view: View): Promise<View> {
  const { uncommitted, ...outcome } = view.outcome ?? {}
  if (view.outcome === null || uncommitted?.paths === undefined) return view
  const { isCommitted } = await import('../../workspace/repo/branch-and-changes.ts')
  const { repo } = await foldersOf(root)
  return (await isCommitted(repo, uncommitted.paths)) ? { ...view, outcome: outcome as Outcome } : view
}

function nothingYet(root: string, at: Instant): Status {
  return {
    root,
    run: null,
    view: null,
    tasks: null,
    tasksAwait: hasOldTasks(root),
    breaker: closedBreaker(at),
    used: { calls: 0, tokens: 0 },
    holder: null,
    cutOff: false,
    unknown: 0,
    lost: null,
    undone: null,
    since: null,
    questions: [],
  }
}
