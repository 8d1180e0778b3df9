/** A draft writes its documents and nothing else: all other changes of a turn are reverted, however the turn ended. */
import type { WorkerId } from '../../ids.ts'
import { isSameSnapshot } from '../../tree/own-change.ts'
import { requestEffect, recordDecision, enterPhase, workerOf, type StepContext } from '../../state/context.ts'
import { draftJobOf } from '../../state/job.ts'
import { invalidateSnapshot } from '../../pipeline/wait.ts'
import { draftWritablePaths, patchDraft } from './draft-call.ts'
import type { DraftTurnResult } from '../../features/draft.ts'

/** Whether the turn made changes that are not reverted yet. */
export function hasUnrevertedChanges(ctx: StepContext, id: WorkerId): boolean {
  const own = draftJobOf(workerOf(ctx, id))?.own ?? null
  return own !== null && !isSameSnapshot(own.before, own.after)
}

/** False: the changes stay, and no effect is requested. */
export function revertUnrelatedChanges(ctx: StepContext, id: WorkerId, turn: DraftTurnResult): boolean {
  const worker = workerOf(ctx, id)
  const { iteration, seen } = worker
  const own = draftJobOf(worker)?.own ?? null
  if (own === null) return false
  if (own.mixed) {
    keepUnrelatedChanges(ctx, id, 'Ralph cannot tell which changes the agent made')
    return false
  }
  const effect = requestEffect(ctx, {
    type: 'revert',
    worker: id,
    task: null,
    attempt: 0,
    iteration,
    before: own.before,
    // Somebody else may have changed files while no agent ran: then the tree must equal the last snapshot.
    since: seen?.fresh === false ? own.after : null,
    ...draftWritablePaths(worker),
  })
  enterPhase(ctx, id, { is: 'reverting-draft', effect, turn })
  return true
}

/** The next turn starts from the tree as it is now. */
export function forgetDraftSnapshot(ctx: StepContext, id: WorkerId): void {
  patchDraft(ctx, id, { own: null })
  invalidateSnapshot(ctx, id)
}

export function keepUnrelatedChanges(ctx: StepContext, id: WorkerId, why: string): void {
  forgetDraftSnapshot(ctx, id)
  const say = `the agent changed other files while it wrote a document, and Ralph did not revert them: ${why}. See them: git status`
  recordDecision(ctx, id, 'draft', 'stays', say)
}
