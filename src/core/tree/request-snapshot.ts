/** The snapshot before a call: is git free, and did a person change something? */
import { mayContinue, isStopping, directiveOf } from '../admission/worker-directive.ts'
import { requestEffect, recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import type { EventOf } from '../state/event.ts'
import type { LastSnapshot } from '../state/state.ts'
import type { EffectId, WorkerId } from '../ids.ts'
import { recordSnapshotBefore } from './job-change.ts'
import { pauseWorker } from '../pipeline/pause.ts'
import { requestWaitFor } from '../pipeline/wait.ts'
import { describeDrift, branchStateAfter } from './branch-state.ts'
import { describeEditedSettings, FINAL_SNAPSHOT_MS, lastSnapshotFrom } from './last-snapshot.ts'
import { canAdvanceBase, advanceBase } from './base.ts'

/** `writes`: the files that the call may change; absent: all. */
export function requestSnapshotBefore(ctx: StepContext, id: WorkerId, may: { writes?: string[] } = {}): void {
  const { seen, iteration } = workerOf(ctx, id)
  const why = seen === null ? 'start' : 'before'
  const effect = requestEffect(ctx, {
    type: 'snapshot',
    worker: id,
    for: why,
    iteration: iteration + 1,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
    ...may,
  })
  enterPhase(ctx, id, { is: 'taking-snapshot', effect, for: why })
}

/** The snapshot after an agent. In a run that is about to stop it has a short time limit. */
export function requestSnapshotAfter(
  ctx: StepContext,
  id: WorkerId,
  why: 'after' | 'check',
  may: { writes?: string[] } = {},
): EffectId {
  const { seen, iteration } = workerOf(ctx, id)
  return requestEffect(ctx, {
    type: 'snapshot',
    worker: id,
    for: why,
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
    ...may,
    ...(isStopping(ctx, id) ? { withinMs: FINAL_SNAPSHOT_MS } : {}),
  })
}

/** Every look tells where HEAD is. What an agent did to it is told when it begins, not again in every iteration of a night. */
export function updateBranchState(ctx: StepContext, event: EventOf<'snapshot-taken'>): void {
  const { worker: id, snapshot } = event
  const { branchState: before, phase } = workerOf(ctx, id)
  const branchState = branchStateAfter(before, snapshot, phase.is === 'taking-snapshot' ? 'person' : 'agent')
  patchWorker(ctx, id, { branchState })
  if (event.unlocked === true) recordDecision(ctx, id, 'guard', 'note', 'removed a stale lock of the git index')
  if (event.edited !== undefined) recordEditedSettings(ctx, id, event.edited)
  const line = describeDrift(branchState)
  if (line !== null && line !== describeDrift(before)) recordDecision(ctx, id, 'guard', 'drift', line)
}

/** The run goes by the settings of its start. */
function recordEditedSettings(ctx: StepContext, id: WorkerId, names: string[]): void {
  const { seen } = workerOf(ctx, id)
  if (seen !== null)
    patchWorker(ctx, id, { seen: { ...seen, edited: [...new Set([...(seen.edited ?? []), ...names])] } })
  recordDecision(ctx, id, 'guard', 'note', describeEditedSettings(names))
}

/** What a snapshot shows compared with the one before. */
export interface SnapshotComparison {
  before: LastSnapshot | null
  /** Files or the plan are not as they were. */
  isChanged: boolean
}

/** Saves what a look before a call found; null: git is busy, and the worker waits or pauses. */
export function applySnapshotBefore(ctx: StepContext, event: EventOf<'snapshot-taken'>): SnapshotComparison | null {
  const { worker: id, snapshot } = event
  const worker = workerOf(ctx, id)
  patchWorker(ctx, id, { checkboxes: event.checkboxes, nextCheckbox: event.nextCheckbox })
  // An unfinished git operation of the agent is the agent's to finish; only a person's is waited for.
  const ours = snapshot.open !== undefined && worker.branchState?.left === snapshot.open
  if (snapshot.busy !== null && !ours && mayContinue(ctx, id)) {
    waitForGit(ctx, event, snapshot.busy)
    return null
  }
  const before = worker.seen
  const plan = event.plan ?? null
  const moved = before !== null && before.tree !== snapshot.tree
  recordSnapshotBefore(ctx, id, snapshot)
  patchWorker(ctx, id, { busy: 0, seen: lastSnapshotFrom(before, event) })
  if (moved && event.change !== null && event.change.files > 0) {
    const files = `${event.change.files} ${event.change.files === 1 ? 'file' : 'files'}`
    recordDecision(ctx, id, 'guard', 'note', `${files} changed between iterations (not by the agent)`)
  }
  return { before, isChanged: moved || (before !== null && before.plan !== plan) }
}

/** A person's changes move the base. True: it is asked for, and its answer comes first. */
export function moveBaseIfEdited(ctx: StepContext, id: WorkerId, { before, isChanged }: SnapshotComparison): boolean {
  if (before === null || !isChanged || !canAdvanceBase(ctx, id)) return false
  // The task after one that is dropped begins with what is seen now, and with what a person made of it.
  if (!mayContinue(ctx, id) && directiveOf(ctx, id).is !== 'drop') return false
  advanceBase(ctx, id, before)
  return true
}

/** Git is busy with another process's work: try again every five seconds; after thirty a person decides. */
const BUSY_WAIT_MS = 5_000
const BUSY_TRIES = 6

function waitForGit(ctx: StepContext, event: EventOf<'snapshot-taken'>, what: string): void {
  const { worker: id } = event
  const tries = workerOf(ctx, id).busy + 1
  if (tries < BUSY_TRIES) {
    if (tries === 1) recordDecision(ctx, id, 'guard', 'warn', `waiting for git: ${what}`)
    patchWorker(ctx, id, { busy: tries })
    return requestWaitFor(ctx, id, BUSY_WAIT_MS, what)
  }
  patchWorker(ctx, id, { busy: 0 })
  pauseWorker(ctx, id, what)
}
