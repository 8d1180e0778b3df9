/**
 * After a turn of a draft: changes to other files are reverted, then the agent's message is saved and the document is checked. A complete
 * document finishes the stage; for an incomplete one the agent gets the problems twice. Without a document, the agent asks a person.
 */
import { markReachable } from '../../calls/call-failure.ts'
import type { WorkerId } from '../../ids.ts'
import {
  conversationAfter,
  correctionsFor,
  splitDenials,
  endingOnDenial,
  tagProblems,
  type IterationResult,
} from '../../calls/iteration-result.ts'
import { describeDenials } from '../../calls/denial.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'
import { updateBreaker } from '../../admission/update-breaker.ts'
import { assertNever } from '../../assert-never.ts'
import type { Reply } from '../../agent-output/reply.ts'
import type { EventOf } from '../../state/event.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { plural } from '../../text/format-amounts.ts'
import { quoteShellWord } from '../../text/shell.ts'
import { clip } from '../../text/sanitize.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import { draftJobOf } from '../../state/job.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import { recordSnapshotBefore, recordRevert } from '../../tree/job-change.ts'
import { howToRestore, describeNotReverted, describeReverted } from '../../tree/revert-text.ts'
import { NOBODY_ANSWERS_TEXT } from './ask-person.ts'
import { revertUnrelatedChanges, hasUnrevertedChanges, keepUnrelatedChanges } from './revert-unrelated.ts'
import { checkDocument } from './check-document.ts'
import { patchDraft } from './draft-call.ts'
import { documentPathIn, type DocumentKind } from '../../features/documents.ts'
import { currentDraftDocument, draftQuestionText, type DraftJob, type DraftTurnResult } from '../../features/draft.ts'

/** The log of the turn has the rest. */
const SAID_MAX = 4_000

/** The agent ended its turn successfully. */
export function evaluateDraftTurn(ctx: StepContext, id: WorkerId, done: IterationResult & { job: DraftJob }): void {
  const { reply, agent } = done
  const { rules } = ctx.state.run
  const { real: denied } = splitDenials(reply, rules.agent.tools)
  // Questions are expected in a draft.
  const told = correctionsFor(ctx, id, { ...done, reply: { ...reply, signals: { ...reply.signals, questions: 0 } } })
  patchWorker(ctx, id, {
    failures: 0,
    previous: null,
    corrections: [...told, ...tagProblems(reply)],
    conversation: conversationAfter(ctx, id, done),
  })
  markReachable(ctx, agent)
  const halt = endingOnDenial(denied, reply, rules.exit)
  if (halt !== null) {
    recordIterationEnd(ctx, id, 'halted', halt.why)
    if (hasUnrevertedChanges(ctx, id)) keepUnrelatedChanges(ctx, id, 'the run ends')
    return endWorker(ctx, id, halt)
  }
  recordIterationEnd(ctx, id, 'progress', 'the agent finished its turn')
  updateBreaker(ctx, id, {
    progress: !hasUnrevertedChanges(ctx, id),
    question: false,
    error: false,
    said: denied.length > 0 ? describeDenials(denied) : '',
    denied: denied.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined: false,
  })
  finishDraftTurn(ctx, id, turnOf(reply))
}

function turnOf({ lastMessage, told }: Reply): DraftTurnResult {
  const claims = told.phase !== null || told.tasksCreated
  // Questions asked by a tool call may be missing in the message.
  const asked = told.asks.map(({ text }) => text.trim()).filter((text) => !lastMessage.includes(text))
  const said = [lastMessage.trim(), ...asked].filter((text) => text !== '').join('\n\n')
  return { said: clip(said, SAID_MAX), cut: false, claims, drift: 0 }
}

/** Reverts changes to other files, then checks the document. After an interrupted turn the turn is empty. */
export function finishDraftTurn(ctx: StepContext, id: WorkerId, turn: DraftTurnResult): void {
  if (!hasUnrevertedChanges(ctx, id)) return checkUnlessStopping(ctx, id, turn)
  if (!revertUnrelatedChanges(ctx, id, turn)) checkWithUnreverted(ctx, id, turn)
}

export function onUnrelatedReverted(ctx: StepContext, event: EventOf<'reverted'>): void {
  const { worker: id } = event
  const worker = workerOf(ctx, id)
  const { phase } = worker
  if (draftJobOf(worker) === null || phase.is !== 'reverting-draft') return
  switch (event.is) {
    case 'stays':
      return onUnrelatedNotReverted(ctx, id, event.why)
    case 'back': {
      recordRevert(ctx, event)
      patchDraft(ctx, id, { own: null })
      recordSnapshotBefore(ctx, id, event.snapshot)
      recordDecision(ctx, id, 'draft', 'revert', describeUnrelatedReverted(event))
      addCorrection(ctx, id, PUT_BACK)
      return checkUnlessStopping(ctx, id, { ...phase.turn, drift: event.files + event.commits })
    }
    default:
      return assertNever(event)
  }
}

function describeUnrelatedReverted(event: Extract<EventOf<'reverted'>, { is: 'back' }>): string {
  return `the agent changed other files while it wrote a document: Ralph reverted ${describeReverted(event)}${describeNotReverted(event)}. See the changes: ${howToRestore(event)}`
}

/** The revert failed, or it is unknown how far it got. */
export function onUnrelatedNotReverted(ctx: StepContext, id: WorkerId, why: string): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'reverting-draft') return
  // The revert may be half done, so the present changes are nobody's edit.
  patchWorker(ctx, id, { measured: false })
  keepUnrelatedChanges(ctx, id, why)
  checkWithUnreverted(ctx, id, phase.turn)
}

/** After an interrupted turn the changes may be somebody else's, so the next agent is not corrected for them. */
function checkWithUnreverted(ctx: StepContext, id: WorkerId, turn: DraftTurnResult): void {
  if (!turn.cut) addCorrection(ctx, id, STAYS)
  checkUnlessStopping(ctx, id, { ...turn, drift: 1 })
}

const PUT_BACK =
  'You changed files of the project, and Ralph reverted them. Write the document and nothing else: no code, no commits.'
const STAYS =
  'You changed files of the project. Revert them, then write the document and nothing else: no code, no commits.'

/** A worker that is stopping skips the check. */
function checkUnlessStopping(ctx: StepContext, id: WorkerId, turn: DraftTurnResult): void {
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  checkDocument(ctx, id, turn)
}

/** How often an agent gets the problems of its document, or is told that nobody answers. */
const CORRECTIONS_MAX = 2

export function onDocumentChecked(ctx: StepContext, event: EventOf<'document-checked'>): void {
  const { worker: id, there, problems, bytes } = event
  const worker = workerOf(ctx, id)
  const { phase } = worker
  const job = draftJobOf(worker)
  if (job === null || phase.is !== 'checking-document') return
  const { turn } = phase
  if (event.back !== undefined) recordRestoredDocuments(ctx, id, event.back, event.instead)
  if (event.gone !== undefined) return beginAnew(ctx, id, job, event.gone)
  if (there && problems.length === 0) return finishDocument(ctx, id, job, { bytes, turn })
  if (turn.cut) return again(ctx, id, job, problems)
  if (there) return rejectDocument(ctx, id, job, { problems, turn })
  if (job.asks && !turn.claims) {
    patchDraft(ctx, id, { question: draftQuestionText(turn.said), idle: 0 })
    return finishStage(ctx, id, 'UNKNOWN')
  }
  handleMissingDocument(ctx, id, job, turn)
}

function recordRestoredDocuments(ctx: StepContext, id: WorkerId, back: string[], instead: string | undefined): void {
  const what = back.join(', ')
  const to = draftJobOf(workerOf(ctx, id))?.folder ?? ''
  const have =
    instead === undefined ? '' : `. To use the agent's version instead: cp ${quoteShellWord(instead)}/* ${to}/`
  const why = `the agent changed earlier documents; restored: ${what}${have}`
  recordDecision(ctx, id, 'draft', 'revert', why)
  const tell = `${CHANGED} ${what}. Ralph restored them: write the document and leave the others alone.`
  addCorrection(ctx, id, tell)
}

function addCorrection(ctx: StepContext, id: WorkerId, tell: string): void {
  patchWorker(ctx, id, { corrections: [...new Set([...workerOf(ctx, id).corrections, tell])] })
}

const CHANGED = 'You deleted or changed'

/** A document that this one is based on was deleted: the pipeline returns to it, with a new conversation. */
function beginAnew(ctx: StepContext, id: WorkerId, job: DraftJob, gone: DocumentKind): void {
  const path = documentPathIn(job.folder, gone)
  const { line } = workerOf(ctx, id)
  if (line === null || !job.documents.includes(gone)) {
    const why = `${path} is gone, but the later documents build on it`
    return endWorker(ctx, id, { is: 'not_drafted', why })
  }
  recordDecision(ctx, id, 'draft', 'anew', `${path} is gone, so the draft restarts with it`)
  patchWorker(ctx, id, {
    line: { ...line, at: gone, visits: { ...line.visits, [gone]: (line.visits[gone] ?? 0) + 1 } },
    job: { ...job, question: null, idle: 0, seen: null },
    conversation: null,
    rejections: 0,
    corrections: [],
  })
  continueWorker(ctx, id)
}

function finishDocument(
  ctx: StepContext,
  id: WorkerId,
  job: DraftJob,
  { bytes, turn }: { bytes: number; turn: DraftTurnResult },
): void {
  const path = pathOf(ctx, id, job)
  const is = turn.cut ? 'exists' : 'is written'
  // The problems of this document are solved; corrections about other files stay.
  const corrections = workerOf(ctx, id).corrections.filter(
    (said) => said === PUT_BACK || said === STAYS || said.startsWith(CHANGED),
  )
  recordDecision(ctx, id, 'draft', 'document', `${path} ${is}, ${plural(bytes, 'byte')}`)
  patchWorker(ctx, id, { job: { ...job, question: null, idle: 0 }, rejections: 0, corrections })
  finishStage(ctx, id, 'PASS', { ending: { is: 'drafted', why: `spec, plan and tasks are in ${job.folder}` } })
}

/** No turn is to blame for the incomplete document; the next agent gets its problems anyway. */
function again(ctx: StepContext, id: WorkerId, job: DraftJob, problems: string[]): void {
  if (problems.length > 0) addCorrection(ctx, id, notWhole(pathOf(ctx, id, job), problems.join('; ')))
  continueWorker(ctx, id)
}

function pathOf(ctx: StepContext, id: WorkerId, { folder }: DraftJob): string {
  return documentPathIn(folder, currentDraftDocument(workerOf(ctx, id)))
}

function notWhole(path: string, why: string): string {
  return `${path} is incomplete: ${why}. Fix the file.`
}

function rejectDocument(
  ctx: StepContext,
  id: WorkerId,
  job: DraftJob,
  { problems, turn }: { problems: string[]; turn: DraftTurnResult },
): void {
  const path = pathOf(ctx, id, job)
  const why = problems.join('; ')
  const times = workerOf(ctx, id).rejections + countOf(turn)
  patchWorker(ctx, id, { rejections: times })
  recordDecision(ctx, id, 'draft', 'refuse', `${path} is incomplete: ${why}`)
  const end = `${path} is still incomplete after ${CORRECTIONS_MAX} corrections: ${why}. Ralph keeps the file`
  tryAgain(ctx, id, { tell: notWhole(path, why), times, end })
}

/** A turn with changes to other files got a correction about them; its attempt does not count. */
function countOf({ drift }: DraftTurnResult): number {
  return drift > 0 ? 0 : 1
}

/** Tells the agent what is missing; after too many attempts the draft ends. */
function tryAgain(
  ctx: StepContext,
  id: WorkerId,
  { tell, times, end }: { tell: string; times: number; end: string },
): void {
  addCorrection(ctx, id, tell)
  if (times <= CORRECTIONS_MAX) return finishStage(ctx, id, 'FIX')
  finishStage(ctx, id, 'FAIL', { ending: { is: 'not_drafted', why: end } })
}

function handleMissingDocument(ctx: StepContext, id: WorkerId, job: DraftJob, turn: DraftTurnResult): void {
  const path = pathOf(ctx, id, job)
  const tell = turn.claims
    ? `You say that it is finished, but there is no file ${path}. Write the document there.`
    : `There is no file ${path} yet. ${NOBODY_ANSWERS_TEXT}`
  const why = turn.claims
    ? `the agent says that ${path} is finished, but there is no such file`
    : `${path} does not exist`
  recordDecision(ctx, id, 'draft', 'idle', why)
  const times = job.idle + countOf(turn)
  patchDraft(ctx, id, { idle: times })
  tryAgain(ctx, id, { tell, times, end: `${path} was not written in ${times} turns` })
}
