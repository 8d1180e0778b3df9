/**
 * One call that changes the project, from its start until it is evaluated: agent → snapshot → commit → knowledge. The same for every stage;
 * the differences are in `IterationHooks`.
 */
import { settleCallCost, deferCall } from './call.ts'
import { countsAsAttempt } from '../admission/retry-policy.ts'
import { findCallFailure } from './call-failure.ts'
import type { TreeHash, WorkerId } from '../ids.ts'
import { recordAttempt } from './choose-model.ts'
import type { IterationResult } from './iteration-result.ts'
import { recordIterationEnd } from './record-iteration-end.ts'
import { NO_CHANGE } from '../tree/change.ts'
import { branchStateAtCommit } from '../tree/branch-state.ts'
import { FINAL_SNAPSHOT_MS, lastSnapshotFrom } from '../tree/last-snapshot.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import type { StageHandlers } from '../pipeline/stage.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { EffectOf } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { endWorker } from '../pipeline/end-worker.ts'
import type { WorkerPhase, Worker } from '../state/state.ts'
import { requestEffect, recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { taskJobOf } from '../state/job.ts'
import { isStopping, directiveOf } from '../admission/worker-directive.ts'
import { recordSnapshotAfter, recordOwnCommit } from '../tree/job-change.ts'
import { requestSnapshotAfter } from '../tree/request-snapshot.ts'
import { handleFailedIteration, endUncountedIteration, type FailedCall } from './failed-iteration.ts'

/** What a stage does with its calls. */
export interface IterationHooks {
  /** The files that a call may change; no field: all. */
  writes?(worker: Worker): { writes?: string[] }
  /** What is committed of a measured change; null: nothing. */
  commit(
    ctx: StepContext,
    id: WorkerId,
    done: { reply: Reply; tree: TreeHash },
  ): Pick<EffectOf<'commit'>, 'message' | 'own'> | null
  /** All its changes are reverted together, so nothing may be written meanwhile. */
  isReverted?(ctx: StepContext, id: WorkerId): boolean
  /** Knowledge was written, so files changed that are not the agent's. */
  afterKnowledge?(ctx: StepContext, id: WorkerId): void
  /** Whether there is something to evaluate. */
  isWorked(done: IterationResult): boolean
  weigh(ctx: StepContext, id: WorkerId, done: IterationResult): void
  /** The end of the call is unknown. */
  cutOff(ctx: StepContext, id: WorkerId, done: IterationResult): void
  /** The agent met a limit or an outage, or cannot be used at all. */
  notAttempted?(ctx: StepContext, id: WorkerId): void
  /** True: the stage has decided what follows; otherwise the breaker counts it and the call is retried. */
  afterFailure?(ctx: StepContext, id: WorkerId, call: FailedCall): boolean
}

/** Handles the events of a call, from its end until it is evaluated. */
export function iterationHandlers(
  of: IterationHooks,
): StageHandlers & Required<Pick<StageHandlers, 'agent-ended' | 'snapshot-taken'>> {
  return {
    'call-deferred': deferCall,
    'agent-ended': (ctx, event) => afterAgent(ctx, event.worker, event.reply, of),
    'snapshot-taken': (ctx, event) => afterSnapshot(ctx, event, of),
    committed: (ctx, event) => afterCommit(ctx, event, of),
    'knowledge-saved': (ctx, event) => knowledgeSaved(ctx, event, of),
  }
}

/** Its cost is booked at once; a snapshot of the tree comes before any decision. */
function afterAgent(ctx: StepContext, id: WorkerId, reply: Reply, of: IterationHooks): void {
  const worker = workerOf(ctx, id)
  if (worker.phase.is !== 'working') return
  const { agent } = worker.phase
  settleCallCost(ctx, id, reply)
  const effect = requestSnapshotAfter(ctx, id, 'after', of.writes?.(worker))
  enterPhase(ctx, id, { is: 'measuring', effect, agent, reply })
}

function afterSnapshot(ctx: StepContext, event: EventOf<'snapshot-taken'>, of: IterationHooks): void {
  const { worker: id, snapshot } = event
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'measuring') return
  const change = event.change ?? NO_CHANGE
  const worker = workerOf(ctx, id)
  const ticked = (event.checkboxes?.done ?? 0) > (worker.checkboxes?.done ?? 0)
  const deleted = event.deleted ?? []
  recordSnapshotAfter(ctx, id, snapshot)
  patchWorker(ctx, id, {
    seen: lastSnapshotFrom(worker.seen, event),
    measured: true,
    checkboxes: event.checkboxes,
    nextCheckbox: event.nextCheckbox,
    consecutiveDeletions: deleted.length === 0 ? 0 : worker.consecutiveDeletions + 1,
  })
  if (deleted.length > 0)
    recordDecision(ctx, id, 'guard', 'restore', `the agent deleted ${deleted.join(', ')}; restored from Ralph's copy`)
  const commits = ctx.state.run.rules.loop.commit === 'iteration'
  if (commits && change.files > 0 && snapshot.busy !== null)
    recordDecision(ctx, id, 'loop', 'warn', `not committed: ${snapshot.busy}`)
  const mayCommit = commits && change.files > 0 && snapshot.busy === null
  const commit = mayCommit ? of.commit(ctx, id, { reply: phase.reply, tree: snapshot.tree }) : null
  if (commit !== null) {
    const effect = requestEffect(ctx, {
      type: 'commit',
      worker: id,
      iteration: worker.iteration,
      ...commit,
      ...(isStopping(ctx, id) ? { withinMs: FINAL_SNAPSHOT_MS } : {}),
    })
    return enterPhase(ctx, id, {
      is: 'committing',
      effect,
      agent: phase.agent,
      reply: phase.reply,
      change,
      ticked,
      deleted,
    })
  }
  saveKnowledgeOrConclude(ctx, id, { agent: phase.agent, reply: phase.reply, change, ticked, deleted }, of)
}

function afterCommit(ctx: StepContext, event: EventOf<'committed'>, of: IterationHooks): void {
  const worker = workerOf(ctx, event.worker)
  if (worker.phase.is !== 'committing') return
  if (event.problem !== null) {
    const what =
      event.sha === null ? 'the commit failed; the changes stay uncommitted' : 'the commit does not include all changes'
    recordDecision(ctx, event.worker, 'loop', 'note', `${what}: ${event.problem}`)
  }
  if (event.sha !== null) recordOwnCommit(ctx, event.worker, event.sha)
  if (event.sha !== null && worker.seen !== null)
    patchWorker(ctx, event.worker, {
      seen: { ...worker.seen, head: event.sha, uncommitted: 0, uncommittedPaths: [] },
      branchState: branchStateAtCommit(worker.branchState, event.sha),
    })
  saveKnowledgeOrConclude(ctx, event.worker, resultFromPhase(worker.phase), of)
}

/** Saves the agent's knowledge however the iteration ends: a failed task teaches the most. */
function saveKnowledgeOrConclude(ctx: StepContext, id: WorkerId, done: IterationResult, of: IterationHooks): void {
  const { told } = done.reply
  if (told.knowledge.length === 0) return concludeIteration(ctx, id, done, of)
  // A revert restores the whole tree, so files written meanwhile would be lost.
  if (of.isReverted?.(ctx, id) === true) return concludeIteration(ctx, id, withProblems(done, [NOT_KEPT]), of)
  const worker = workerOf(ctx, id)
  const task = taskJobOf(worker)?.task
  const effect = requestEffect(ctx, {
    type: 'save-knowledge',
    worker: id,
    iteration: worker.iteration,
    said: told.knowledge,
    ...(task === undefined ? {} : { task }),
  })
  // The effect carries the text; a second copy would only enlarge the state.
  const reply = { ...done.reply, told: { ...told, knowledge: [] } }
  enterPhase(ctx, id, { is: 'saving-knowledge', effect, ...done, reply })
}

/** Knowledge that could not be saved becomes a correction in the next prompt. */
function knowledgeSaved(ctx: StepContext, event: EventOf<'knowledge-saved'>, of: IterationHooks): void {
  const { phase } = workerOf(ctx, event.worker)
  if (phase.is !== 'saving-knowledge') return
  const problems = event.refused.map((why) => `This was not saved as knowledge: ${why}.`)
  of.afterKnowledge?.(ctx, event.worker)
  concludeIteration(ctx, event.worker, withProblems(resultFromPhase(phase), problems), of)
}

const NOT_KEPT =
  'Ralph did not save your knowledge entries, because it reverted other files that you changed. Send the entries again.'

function withProblems(done: IterationResult, problems: string[]): IterationResult {
  const { told } = done.reply
  return { ...done, reply: { ...done.reply, told: { ...told, problems: [...told.problems, ...problems] } } }
}

/** Nothing of the work depends on it. */
export function onKnowledgeUnsaved(ctx: StepContext, id: WorkerId, of: IterationHooks): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is === 'saving-knowledge') concludeIteration(ctx, id, resultFromPhase(phase), of)
}

function resultFromPhase({
  agent,
  reply,
  change,
  ticked,
  deleted,
}: Extract<WorkerPhase, { is: 'committing' | 'saving-knowledge' }>): IterationResult {
  return { agent, reply, change, ticked, deleted }
}

/** Once may be an accident; an agent that deletes its own instructions twice in a row needs a person. */
const DELETIONS = 2

/** The result of the iteration: a limit, a failure, or work to evaluate. */
export function concludeIteration(ctx: StepContext, id: WorkerId, done: IterationResult, of: IterationHooks): void {
  const { reply } = done
  const order = directiveOf(ctx, id)
  if (order.is === 'stop' || order.is === 'drop') {
    recordIterationEnd(ctx, id, 'stopped', order.why)
    return continueWorker(ctx, id)
  }
  if (reply.end === 'over-budget') {
    recordIterationEnd(ctx, id, 'over-budget', 'the budget is spent')
    return continueWorker(ctx, id)
  }
  const worked = of.isWorked(done)
  const callFailure = findCallFailure(reply, { worked })
  if (callFailure !== null && !countsAsAttempt(callFailure.retryPolicy)) {
    of.notAttempted?.(ctx, id)
    return endUncountedIteration(ctx, id, done, callFailure)
  }
  const worker = workerOf(ctx, id)
  patchWorker(ctx, id, { counted: worker.counted + 1 })
  if (worker.consecutiveDeletions >= DELETIONS) {
    const why = `the agent deleted ${done.deleted.join(', ')} in ${worker.consecutiveDeletions} iterations in a row`
    recordIterationEnd(ctx, id, 'halted', why)
    return endWorker(ctx, id, { is: 'files_deleted', why })
  }
  if (reply.end === 'interrupted') return of.cutOff(ctx, id, done)
  recordAttempt(ctx, id, done)
  if (!worked) return handleFailedIteration(ctx, id, done, of)
  of.weigh(ctx, id, done)
}
