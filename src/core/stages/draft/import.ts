/**
 * A run of `ralph import`: the stage *draft* alone. Its agent works outside the project, so there is no snapshot and nothing to revert: one
 * call, and the three files that it wrote are checked.
 *
 * Other runs wait for hours, because nobody watches them. An import has a person in front of it, or a script that must not hang: the stage
 * waits for seconds, twice at most, and otherwise ends and reports when an agent is available again.
 */
import { beginIteration } from '../../calls/begin-iteration.ts'
import { settleCallCost, admitCallOrWait, findAvailableAgent } from '../../calls/call.ts'
import type { FailedCall } from '../../calls/failed-iteration.ts'
import { concludeIteration, type IterationHooks } from '../../calls/iteration.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'
import { elapsedRunMs } from '../../admission/admission.ts'
import { computeReservation } from '../../admission/budget.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import type { FailureKind } from '../../calls/agent-io.ts'
import { importWorkspacePath } from '../../features/import-job.ts'
import type { Instant, WorkerId } from '../../ids.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import { requestWaitFor } from '../../pipeline/wait.ts'
import { enterPhase, patchWorker, requestEffect, workerOf, type StepContext } from '../../state/context.ts'
import type { EventOf } from '../../state/event.ts'
import { importJobOf } from '../../state/job.ts'
import { NO_CHANGE } from '../../tree/change.ts'
import { EMPTY_TURN } from './check-document.ts'

const PAUSES_MAX = 2

/** Any other failure would return with the same document, and after a time-out the person has waited long enough. */
const RETRIED: ReadonlySet<FailureKind | null> = new Set<FailureKind>(['crash', 'killed', 'unknown'])

export function requestImportCall(ctx: StepContext, id: WorkerId): void {
  const chosen = findAvailableAgent(ctx, ctx.state.run.rules.agent.order)
  if (chosen.is === 'suspend') return endWorker(ctx, id, { is: 'outage', why: chosen.why })
  if (chosen.is === 'wait') return pauseUntil(ctx, id, chosen)
  admitCallOrWait(ctx, id, 'work', chosen)
}

/** A full hourly quota takes too long to wait for. */
export function onImportDeferred(ctx: StepContext, { worker: id, until, why }: EventOf<'call-deferred'>): void {
  endNotNow(ctx, id, { until, why })
}

export function onImportAdmitted(ctx: StepContext, id: WorkerId): void {
  const job = importJobOf(workerOf(ctx, id))
  if (job === null) return
  const about = { import: { folder: job.folder } }
  beginIteration(ctx, id, { about, openCheckboxes: null, steering: () => [] })
  // The agent works outside the project, so changes in the project are not its own.
  patchWorker(ctx, id, { measured: true })
}

/** There is no snapshot to take, so the call is evaluated at once. */
export function onImportCallEnded(ctx: StepContext, { worker: id, reply }: EventOf<'agent-ended'>): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'working') return
  const { agent } = phase
  settleCallCost(ctx, id, reply)
  if (reply.end !== 'over-budget' || isStopping(ctx, id))
    return concludeIteration(ctx, id, { agent, reply, change: NO_CHANGE, ticked: false, deleted: [] }, CALL)
  const why = `the budget is spent, so Ralph stopped ${agent} while it was working`
  recordIterationEnd(ctx, id, 'over-budget', why)
  const { budget, rules } = ctx.state.run
  const left = computeReservation(budget, rules.budget, elapsedRunMs(ctx))
  endWorker(ctx, id, { is: left.ok ? 'cost_limit' : left.limit, why })
}

const CALL: IterationHooks = {
  commit: () => null,
  isWorked: ({ reply }) => reply.end === 'success',
  weigh(ctx, id) {
    const worker = workerOf(ctx, id)
    const job = importJobOf(worker)
    if (job === null) return
    recordIterationEnd(ctx, id, 'progress', 'the agent finished its turn')
    const folder = importWorkspacePath(job, worker.iteration)
    const effect = requestEffect(ctx, { type: 'check-import', worker: id, folder })
    enterPhase(ctx, id, { is: 'checking-document', effect, turn: EMPTY_TURN })
  },
  cutOff(ctx, id) {
    recordIterationEnd(ctx, id, 'interrupted', 'the agent call was interrupted')
    fail(ctx, id, 'it was stopped')
  },
  afterFailure(ctx, id, call) {
    retry(ctx, id, call)
    return true
  },
}

function retry(ctx: StepContext, id: WorkerId, { kind, said, afterMs }: FailedCall): void {
  const { author, job } = workerOf(ctx, id)
  if (!RETRIED.has(kind) || job.is !== 'import' || job.pauses >= PAUSES_MAX) return fail(ctx, id, said)
  pauseUntil(ctx, id, { until: ctx.now.at + afterMs, why: `${author} failed: ${said}` })
}

export function onImportChecked(ctx: StepContext, { worker: id, problem }: EventOf<'import-checked'>): void {
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  if (problem !== null) return fail(ctx, id, problem)
  finishStage(ctx, id, 'PASS', { ending: { is: 'drafted', why: 'the agent turned the document into a project' } })
}

function fail(ctx: StepContext, id: WorkerId, why: string): void {
  const { author } = workerOf(ctx, id)
  endWorker(ctx, id, { is: 'agent_unusable', why: `${author} could not turn the document into a project: ${why}` })
}

/** Waits if it takes only seconds; otherwise ends the worker. */
function pauseUntil(ctx: StepContext, id: WorkerId, later: { until: Instant; why: string }): void {
  const job = importJobOf(workerOf(ctx, id))
  const ms = later.until - ctx.now.at
  if (job === null || job.pauses >= PAUSES_MAX || ms > ctx.state.run.rules.retry.maxMs) return endNotNow(ctx, id, later)
  patchWorker(ctx, id, { job: { ...job, pauses: job.pauses + 1 } })
  requestWaitFor(ctx, id, ms, later.why)
}

function endNotNow(ctx: StepContext, id: WorkerId, { until, why }: { until: Instant; why: string }): void {
  endWorker(ctx, id, { is: 'api_limit_exit', why, cause: { is: 'not-now', until } })
}
