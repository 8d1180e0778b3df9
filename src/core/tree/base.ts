/** The base that completions are compared with: resolved when a run begins, and moved by a person's edits while no agent works. */
import type { EffectOf, TreeAndPlan } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import type { EffectId, WorkerId } from '../ids.ts'
import { BASE_LOST_REASON, ENTIRE_TREE } from '../proof/acceptance.ts'
import { requestEffect, recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { listWithMore } from '../text/format-amounts.ts'
import { completionGates } from '../completion/completion-gates.ts'

/** Whether completions are tried in the clean room. */
export function needsCleanRoom(ctx: StepContext, id: WorkerId): boolean {
  return completionGates(ctx, id).length > 0 && ctx.state.run.rules.proof.level === 'full'
}

/** `since`: what was seen before this look, where a base was found already and only the clean room is not ready. */
export function requestBase(ctx: StepContext, id: WorkerId, since: TreeAndPlan | null): void {
  requestBaseEffect(ctx, id, { for: 'start', since: canAdvanceBase(ctx, id) ? since : null })
}

/**
 * The files that changed since Ralph last looked are a person's, and the base has them as the person made them. Not where an agent may
 * have been at work: a call that was never measured, or a process of its that could not be ended.
 */
export function advanceBase(ctx: StepContext, id: WorkerId, since: TreeAndPlan): void {
  requestBaseEffect(ctx, id, { for: 'before', since })
}

export function canAdvanceBase(ctx: StepContext, id: WorkerId): boolean {
  const { base, measured, hasOrphans } = workerOf(ctx, id)
  return base !== null && measured && !hasOrphans
}

function requestBaseEffect(
  ctx: StepContext,
  id: WorkerId,
  { for: why, since }: { for: 'start' | 'before'; since: TreeAndPlan | null },
): void {
  const { base, seen } = workerOf(ctx, id)
  if (seen === null) throw new Error('a base needs a snapshot')
  const effect = requestEffect(ctx, {
    type: 'resolve-base',
    worker: id,
    base,
    since: since === null ? null : { tree: since.tree, plan: since.plan },
    now: { tree: seen.tree, plan: seen.plan },
    gates: completionGates(ctx, id),
  })
  enterPhase(ctx, id, { is: 'resolving-base', effect, for: why })
}

/** Saves the base and records what a person should know about it. */
export function saveBase(ctx: StepContext, event: EventOf<'base-resolved'>): void {
  const { worker: id, base, news } = event
  patchWorker(ctx, id, { base, cleanRoomKey: event.room })
  // That a person did not accept the whole tree is not told to the agent: it could not revert it.
  const rejected = news.rejected.filter((path) => path !== ENTIRE_TREE)
  if (rejected.length > 0) {
    const { corrections } = workerOf(ctx, id)
    const tell = `A person did not accept your changes to ${rejected.slice(0, 8).join(', ')}. Restore these files and make the work pass with them.`
    patchWorker(ctx, id, { corrections: [...corrections, tell] })
  }
  const { phase } = workerOf(ctx, id)
  if (base.from === 'lost' && phase.is === 'resolving-base' && phase.for === 'start') recordLostBase(ctx, id)
  for (const warning of news.warnings) recordDecision(ctx, id, 'proof', 'note', warning)
  if (news.movedCount > 0) {
    recordDecision(
      ctx,
      id,
      'proof',
      'base',
      `${listWithMore(news.moved, news.movedCount - news.moved.length)} changed while no agent was running; Ralph counts it as your change`,
    )
  }
  if (news.inheritedCount > 0) {
    recordDecision(
      ctx,
      id,
      'proof',
      'base',
      `${listWithMore(news.inherited, news.inheritedCount - news.inherited.length)} ${news.inheritedCount === 1 ? 'carries' : 'carry'} unverified changes from an earlier run; they will be checked too`,
    )
  }
}

/** The gates in the clean room on the base: does it show what the working tree shows? */
export function requestBaseTrial(
  ctx: StepContext,
  id: WorkerId,
  { base, gates, sharedTools }: Pick<EffectOf<'run-trial'>, 'base' | 'gates' | 'sharedTools'>,
): EffectId {
  return requestEffect(ctx, {
    type: 'run-trial',
    worker: id,
    iteration: 0,
    purpose: 'clean-room-check',
    trialLayout: { is: 'base' },
    base,
    classification: null,
    gates,
    sharedTools,
    all: true,
  })
}

function recordLostBase(ctx: StepContext, id: WorkerId): void {
  recordDecision(
    ctx,
    id,
    'proof',
    'note',
    `${BASE_LOST_REASON}: Ralph compares with the current tree, and asks you to accept that tree at the end (or check it now: ralph verify, ralph verify --since REF)`,
  )
}
