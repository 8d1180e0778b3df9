/**
 * The content of `ralph status`: how the last run is doing, what it works on, which gates fail, what to do next.
 * The screen and `--json` print it; any other screen may.
 */
import type { Settings } from '../../config/resolve.ts'
import type { Instant } from '../../core/ids.ts'
import {
  adviceForFeature,
  adviceForUnfinished,
  adviceForView,
  adviceWithQuestions,
  adviceWhenTasksReady,
  adviceForUndoneRun,
  type Advice,
} from '../../core/presentation/advice.ts'
import { documentPathIn } from '../../core/features/documents.ts'
import { focusedWorker } from '../../core/presentation/focused-worker.ts'
import type { RunView, TaskView, WorkerView } from '../../core/presentation/run-view.ts'
import type { Outcome } from '../../core/state/outcome.ts'
import type { Rules } from '../../core/state/rules.ts'
import { startCommandText } from '../../core/state/start-command.ts'
import type { TaskOverview } from '../../core/tasks/task.ts'
import { describeDrift } from '../../core/tree/branch-state.ts'
import type { CheckboxCounts } from '../../core/tree/change.ts'
import { systemClock } from '../../system/clock.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import { projectOverviewOf, type ProjectOverview } from './project-overview.ts'
import type { ProjectStatus } from './status.ts'

export interface StatusReport {
  status: ProjectStatus
  /** The project itself: its plan, agents and gates, and what prevents a run. */
  project: ProjectOverview
  /** A process works on the last run, so the project is shown as that run has it. */
  isServed: boolean
  /** The limits of the active run; without one, those of the next. */
  rules: Rules
  work: StatusWork
  /** Null: nothing has run here. */
  last: LastRun | null
  /** The command that starts a run if nothing has run yet. */
  start: string
}

/** What the run works on, or what there is to do if nothing has run yet. */
export type StatusWork =
  | { is: 'draft'; path: string; question: string | null }
  | { is: 'tasks'; current: TaskView[]; overview: TaskOverview }
  /** Tasks of the Rust tool that are not imported yet. */
  | { is: 'rust-tasks' }
  | { is: 'plan'; checkboxes: CheckboxCounts | null; next: string | null }

export interface LastRun {
  view: RunView
  /** The worker to show if there is room for one. */
  worker: WorkerView | undefined
  state: RunCondition
  /** Gates that failed on the work, each by its last result. */
  red: FailedGate[]
  /** Where the agent left HEAD and git, if not where the run began. */
  drift: string | null
  next: Advice
}

export type RunCondition =
  | { is: 'undone'; at: Instant }
  | { is: 'ended' | 'left'; outcome: Outcome }
  | { is: 'paused' | 'cut-off' }
  | { is: 'running'; pid: number }

export interface FailedGate {
  gate: string
  iteration: number
  /** The lines that explain the failure. */
  failing: string[]
}

export function statusReport(status: ProjectStatus, settings: Settings): StatusReport {
  const { root, view, tasks, tasksAwait, lockOwner } = status
  const worker = view === null ? undefined : focusedWorker(view)
  const isServed = view !== null && lockOwner !== null
  const hasTasks = tasks !== null || tasksAwait
  const project = projectOverviewOf(root, settings, { tasks: hasTasks || worker?.draft !== undefined })
  return {
    status,
    project,
    isServed,
    rules: isServed ? view.rules : settings.rules(),
    work: workOf(status, worker, project),
    last: view === null ? null : lastRun(status, view, worker),
    start: hasTasks ? 'ralph run' : 'ralph loop',
  }
}

function workOf(
  { view, tasks, tasksAwait, lockOwner }: ProjectStatus,
  worker: WorkerView | undefined,
  { plan }: ProjectOverview,
): StatusWork {
  if (worker?.draft !== undefined) {
    const { folder, document } = worker.draft
    const { activity } = worker
    return {
      is: 'draft',
      path: view?.outcome === null ? documentPathIn(folder, document) : folder,
      question: activity.is === 'asking' ? activity.question : null,
    }
  }
  if (tasks !== null) {
    const current = Object.values(view?.workers ?? {}).flatMap(({ task }) => task ?? [])
    return { is: 'tasks', current, overview: tasks }
  }
  if (tasksAwait) return { is: 'rust-tasks' }
  if (lockOwner !== null && view !== null) return { is: 'plan', checkboxes: worker?.checkboxes ?? null, next: null }
  return { is: 'plan', checkboxes: plan?.checkboxes ?? null, next: plan?.next ?? null }
}

function lastRun(status: ProjectStatus, view: RunView, worker: WorkerView | undefined): LastRun {
  return {
    view,
    worker,
    state: conditionOf(status, view),
    red: failedGates(view),
    drift: describeDrift(worker?.branchState ?? null),
    next: adviceWithQuestions(adviceNow(status, view, worker), status.questions),
  }
}

function conditionOf({ undone, cutOff, lockOwner }: ProjectStatus, { is, outcome, pid }: RunView): RunCondition {
  if (undone !== null) return { is: 'undone', at: undone.at }
  if (outcome !== null) return { is: is === 'left' ? 'left' : 'ended', outcome }
  if (cutOff) return { is: is === 'paused' ? 'paused' : 'cut-off' }
  return { is: 'running', pid: lockOwner?.pid ?? pid }
}

function failedGates({ iterations }: RunView): FailedGate[] {
  const judged = iterations.findLast(({ gates }) => gates.length > 0)
  if (judged === undefined) return []
  const newest = new Map(judged.gates.map((gate) => [gate.name, gate]))
  return [...newest.values()]
    .filter(({ passed }) => !passed)
    .map(({ name, failing }) => ({ gate: name, iteration: judged.n, failing }))
}

function adviceNow(
  { cutOff, lockOwner, undone, tasks, since }: ProjectStatus,
  view: RunView,
  worker: WorkerView | undefined,
): Advice {
  const { outcome, is } = view
  const reader = { now: systemClock().at(), local: formatLocalDateTime }
  const begin = startCommandText(view.start)
  if (undone !== null) return adviceForUndoneRun({ command: undone.command, ended: is === 'ended' }, begin)
  if (is === 'left' || is === 'paused') return adviceForUnfinished(is, begin)
  if (lockOwner !== null) return adviceForUnfinished(worker?.activity.is === 'asking' ? 'asked' : 'served', begin)
  if (cutOff || outcome === null) return adviceForUnfinished('cut-off', begin)
  if (since !== null) return adviceForFeature(since, view.run)
  return adviceWhenTasksReady(adviceForView(view, outcome, { reader }), { ready: tasks?.counts.ready ?? 0, begin })
}

/** `ralph status --json`. */
export function statusJson({ status, project, rules, last }: StatusReport): object {
  const { root, tasks, lockOwner, cutOff, unknown, lost, breaker, used, undone, questions } = status
  const quota = { ...used, callsMax: rules.quota.callsPerHour, tokensMax: rules.quota.tokensPerHour }
  if (last === null) return { root, run: null, is: 'idle', breaker: breaker.is, quota, lost, tasks, project }
  const { view, worker, red, drift, next } = last
  return {
    root,
    run: view.run,
    is: cutOff ? 'cut-off' : view.is,
    pid: lockOwner?.pid ?? null,
    iteration: worker?.iteration ?? 0,
    activity: worker?.activity ?? null,
    agent: worker?.agent ?? null,
    agentsUsed: view.agents,
    model: worker?.model ?? null,
    modelChosen: worker?.chosen ?? null,
    conversation: worker?.conversation ?? null,
    breaker: breaker.is,
    checkboxes: worker?.checkboxes ?? null,
    task: worker?.task ?? null,
    tasks,
    branch: worker?.branchState?.branch ?? null,
    drift,
    quota,
    spent: view.spent,
    budget: rules.budget,
    startedAt: view.startedAt,
    durationMs: view.up - view.startedAwakeMs,
    outcome: view.outcome,
    red,
    next: [next.command, ...next.others.map((step) => step.command)],
    undone,
    questions,
    decisions: view.decisions.slice(-5),
    unknownRows: unknown,
    lost,
    project,
  }
}
