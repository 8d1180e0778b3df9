/** The stage in which an agent drafts a document: turns, with questions to a person, until the document is complete. */
import { deferCall, enforceCallLimits, admitCallOrWait, findAvailableAgent } from '../../calls/call.ts'
import { beginIteration } from '../../calls/begin-iteration.ts'
import { iterationHandlers, onKnowledgeUnsaved, type IterationHooks } from '../../calls/iteration.ts'
import type { WorkerId } from '../../ids.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'
import type { TierChoice } from '../../models/model-strategy.ts'
import { abortRunningEffect } from '../../pipeline/abort-effect.ts'
import { continueWorker } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import { patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { requestSnapshotBefore, applySnapshotBefore } from '../../tree/request-snapshot.ts'
import { draftJobOf, importJobOf } from '../../state/job.ts'
import { setPersonAvailable, askPerson, unansweredQuestion, clearDraftQuestion } from './ask-person.ts'
import { revertUnrelatedChanges, hasUnrevertedChanges, forgetDraftSnapshot } from './revert-unrelated.ts'
import { draftCallOf, draftWritablePaths } from './draft-call.ts'
import { requestImportCall, onImportAdmitted, onImportCallEnded, onImportChecked, onImportDeferred } from './import.ts'
import { isDocumentUnchecked, checkDocument, EMPTY_TURN } from './check-document.ts'
import {
  onUnrelatedNotReverted,
  onDocumentChecked,
  onUnrelatedReverted,
  finishDraftTurn,
  evaluateDraftTurn,
} from './evaluate-draft.ts'

/** The draft decides about everything that is built from it. */
const PLANNING: TierChoice = { tier: 'strong', why: 'a draft needs careful planning' }

const TURN: IterationHooks = {
  writes: draftWritablePaths,
  // Changes to other files than the document are reverted.
  commit: () => null,
  isReverted: hasUnrevertedChanges,
  afterKnowledge: forgetDraftSnapshot,
  // A document counts only if its turn ended.
  isWorked: ({ reply }) => reply.end === 'success',
  weigh(ctx, id, done) {
    const job = draftJobOf(workerOf(ctx, id))
    if (job !== null) evaluateDraftTurn(ctx, id, { ...done, job })
  },
  cutOff(ctx, id) {
    const { iteration } = workerOf(ctx, id)
    patchWorker(ctx, id, { conversation: null })
    recordIterationEnd(ctx, id, 'interrupted', `iteration ${iteration} was interrupted; its changes stay`)
    finishDraftTurn(ctx, id, EMPTY_TURN)
  },
  // That prompt contained the person's answer: the next agent gets the whole interview again.
  notAttempted: (ctx, id) => patchWorker(ctx, id, { conversation: null }),
}

const CALL = iterationHandlers(TURN)

export const DRAFT_STAGE: StageModule = {
  kind: 'draft',
  phases: [
    'taking-snapshot',
    'admitting',
    'working',
    'measuring',
    'saving-knowledge',
    'reverting-draft',
    'checking-document',
    'asking',
  ],
  begin(ctx, id, entered) {
    const worker = workerOf(ctx, id)
    if (importJobOf(worker) !== null) return requestImportCall(ctx, id)
    if (entered === undefined) return beginTurn(ctx, id)
    if (worker.seen === null) return requestSnapshotBefore(ctx, id, draftWritablePaths(worker))
    continueWorker(ctx, id)
  },
  on: {
    ...CALL,
    'snapshot-taken'(ctx, event) {
      if (workerOf(ctx, event.worker).phase.is !== 'taking-snapshot') CALL['snapshot-taken'](ctx, event)
      else if (applySnapshotBefore(ctx, event) !== null) continueWorker(ctx, event.worker)
    },
    'call-deferred': (ctx, event) => (isImport(ctx, event) ? onImportDeferred : deferCall)(ctx, event),
    'agent-ended': (ctx, event) => (isImport(ctx, event) ? onImportCallEnded : CALL['agent-ended'])(ctx, event),
    admitted: (ctx, event) => (isImport(ctx, event) ? onImportAdmitted : admitted)(ctx, event.worker),
    reverted: onUnrelatedReverted,
    'document-checked': onDocumentChecked,
    'import-checked': onImportChecked,
  },
  abort: abortRunningEffect,
  describe: ({ line }) => `drafting ${line?.at ?? 'a document'}`,
  failed(ctx, id, { effect, why, isLost }) {
    if (effect?.type === 'save-knowledge' && !isLost) onKnowledgeUnsaved(ctx, id, TURN)
    else if (effect?.type === 'revert') onUnrelatedNotReverted(ctx, id, why)
    else return false
    return true
  },
  // This also runs after a turn that failed or was stopped.
  cleanUp: (ctx, id) => hasUnrevertedChanges(ctx, id) && revertUnrelatedChanges(ctx, id, EMPTY_TURN),
  /** Meanwhile somebody else may have changed the files of the interrupted turn, or deleted the documents that the draft is based on. */
  resumed(ctx, id, { asks }) {
    const worker = workerOf(ctx, id)
    const job = draftJobOf(worker)
    if (job === null) return
    const own = job.own === null || worker.measured ? job.own : { ...job.own, mixed: true }
    patchWorker(ctx, id, { job: { ...job, own, seen: null } })
    if (asks !== undefined) setPersonAvailable(ctx, id, asks)
  },
}

function isImport(ctx: StepContext, { worker }: { worker: WorkerId }): boolean {
  return importJobOf(workerOf(ctx, worker)) !== null
}

function beginTurn(ctx: StepContext, id: WorkerId): void {
  if (isDocumentUnchecked(ctx, id)) return checkDocument(ctx, id, EMPTY_TURN, { first: true })
  if (!enforceCallLimits(ctx, id)) return
  const question = unansweredQuestion(ctx, id)
  if (question !== null) return askPerson(ctx, id, question)
  const worker = workerOf(ctx, id)
  const chosen = findAvailableAgent(ctx, ctx.state.run.rules.agent.order)
  if (chosen.is === 'free' && worker.seen?.fresh !== true)
    return requestSnapshotBefore(ctx, id, draftWritablePaths(worker))
  admitCallOrWait(ctx, id, 'work', chosen)
}

function admitted(ctx: StepContext, id: WorkerId): void {
  // Steering messages are dropped after this prompt: a new conversation gets the whole interview again.
  beginIteration(ctx, id, {
    about: draftCallOf(workerOf(ctx, id)),
    openCheckboxes: null,
    tier: PLANNING,
    steering: () => [],
  })
  clearDraftQuestion(ctx, id)
}
