/**
 * After a turn of a draft: what it changed beside its document is reverted, then what was said is written down and the document is looked at. A
 * document that is whole leads on; one that is not is told twice what is wrong with it. Where there is none, the agent asks.
 */
import { markReachable as heard } from '../../calls/call-failure.ts'
import type { WorkerId } from '../../ids.ts'
import {
  conversationAfter,
  corrections,
  denialsOf,
  haltOnDenial,
  tagProblems,
  type IterationResult,
} from '../../calls/iteration-result.ts'
import { describeDenials } from '../../calls/denial.ts'
import { endIteration } from '../../calls/end-iteration.ts'
import { updateBreaker } from '../../admission/move-breaker.ts'
import { never } from '../../assert-never.ts'
import type { Reply } from '../../agent-output/reply.ts'
import type { EventOf } from '../../state/event.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import { decide, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { count } from '../../text/format-amounts.ts'
import { quoteShellWord } from '../../text/shell.ts'
import { clip } from '../../text/sanitize.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import { draftOf } from '../../state/job.ts'
import { isStopping } from '../../admission/order.ts'
import { recordSnapshotBefore, recordRevert } from '../../tree/own-work.ts'
import { howToRestore, describeNotReverted, describeReverted } from '../../tree/revert-text.ts'
import { NOBODY_ANSWERS } from './ask-person.ts'
import { revertUnrelatedChanges, hasUnrevertedChanges, keepUnrelatedChanges } from './revert-unrelated.ts'
import { EMPTY_TURN, checkDocument } from './check-document.ts'
import { documentPathIn, type DocumentKind } from '../../features/documents.ts'
import { documentOf, questionIn, type DraftJob, type DraftTurn } from '../../features/draft.ts'

/** More is in the log of the turn. */
const SAID_MAX = 4_000

/** The agent ended well. */
export function evaluateDraft(
  ctx: StepContext,
  id: WorkerId,
  done: IterationResult & { job: DraftJob },
): void {
  const { reply, agent } = done
  const { rules } = ctx.state.run
  const { joined, real: denied } = denialsOf(reply, rules.agent.tools)
  // A question is what a draft is made of, and no lines of the plan are its own.
  const asked = { ...done, reply: { ...reply, signals: { ...reply.signals, questions: 0 } } }
  const worker = workerOf(ctx, id)
  const told = corrections(
    asked,
    null,
    { nextCheckbox: null, branchState: worker.branchState },
    { joined, denied, tools: rules.agent.tools },
  )
  patchWorker(ctx, id, {
    failures: 0,
    previous: null,
    corrections: [...told, ...tagProblems(reply)],
    conversation: conversationAfter(ctx, id, done),
  })
  heard(ctx, agent)
  const halt = haltOnDenial(denied, reply, rules.exit)
  if (halt !== null) {
    endIteration(ctx, id, 'halted', halt.why)
    if (hasUnrevertedChanges(ctx, id)) keepUnrelatedChanges(ctx, id, 'the run ends')
    return endWorker(ctx, id, halt)
  }
  endIteration(ctx, id, 'progress', 'the agent ended its turn')
  updateBreaker(ctx, id, {
    progress: !hasUnrevertedChanges(ctx, id),
    question: false,
    error: false,
    said: denied.length > 0 ? describeDenials(denied) : '',
    denied: denied.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined: false,
  })
  clearFirst(ctx, id, turnOf(reply))
}

/** Nobody heard its end: what is whole all the same is not asked for again. */
export function evaluateInterruptedDraft(ctx: StepContext, id: WorkerId): void {
  clearFirst(ctx, id, EMPTY_TURN)
}

function turnOf({ lastMessage, told }: Reply): DraftTurn {
  const claims = told.phase !== null || told.tasksCreated
  // What it asks by a call it may not say again.
  const asked = told.asks.map(({ text }) => text.trim()).filter((text) => !lastMessage.includes(text))
  const said = [lastMessage.trim(), ...asked].filter((text) => text !== '').join('\n\n')
  return { said: clip(said, SAID_MAX), cut: false, claims, drift: 0 }
}

function clearFirst(ctx: StepContext, id: WorkerId, turn: DraftTurn): void {
  if (!hasUnrevertedChanges(ctx, id)) return take(ctx, id, turn)
  if (!revertUnrelatedChanges(ctx, id, turn)) itStays(ctx, id, turn)
}

export function draftReverted(ctx: StepContext, event: EventOf<'revert'>): void {
  const { worker: id } = event
  const worker = workerOf(ctx, id)
  const { phase } = worker
  const job = draftOf(worker)
  if (job === null || phase.is !== 'reverting-draft') return
  switch (event.is) {
    case 'stays':
      return draftNotReverted(ctx, id, event.why)
    case 'back': {
      recordRevert(ctx, event)
      patchWorker(ctx, id, { job: { ...job, own: null } })
      recordSnapshotBefore(ctx, id, event.snapshot)
      decide(ctx, id, 'draft', 'revert', sayCleared(event))
      const drift = event.files + event.commits
      return goOn(ctx, id, phase.turn, { drift, tell: PUT_BACK })
    }
    default:
      return never(event)
  }
}

function sayCleared(event: Extract<EventOf<'revert'>, { is: 'back' }>): string {
  const were = event.files + event.commits === 1 ? 'was' : 'were'
  return `while a paper was written other things changed: ${describeReverted(event)} ${were} put back${describeNotReverted(event)}. See what changed: ${howToRestore(event)}`
}

/** It could not be reverted, or nobody knows how far it came. */
export function draftNotReverted(ctx: StepContext, id: WorkerId, why: string): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'reverting-draft') return
  // Half of it may be done: what is there is nobody's edit.
  patchWorker(ctx, id, { measured: false })
  keepUnrelatedChanges(ctx, id, why)
  itStays(ctx, id, phase.turn)
}

/** Of a turn that was cut off it may be somebody else's, and whoever is asked next did not do it. */
function itStays(ctx: StepContext, id: WorkerId, turn: DraftTurn): void {
  goOn(ctx, id, turn, { drift: 1, tell: turn.cut ? null : STAYS })
}

const PUT_BACK =
  'You changed files of the project. They were put back: write the paper and nothing else, neither code nor commits.'
const STAYS =
  'You changed files of the project. Write the paper and nothing else, neither code nor commits, and take back what you changed.'

function goOn(
  ctx: StepContext,
  id: WorkerId,
  turn: DraftTurn,
  { drift, tell }: { drift: number; tell: string | null },
): void {
  if (tell !== null) patchWorker(ctx, id, { corrections: [...workerOf(ctx, id).corrections, tell] })
  take(ctx, id, { ...turn, drift })
}

/** Whoever stops looks at nothing any more. */
function take(ctx: StepContext, id: WorkerId, turn: DraftTurn): void {
  if (isStopping(ctx, id)) return proceed(ctx, id)
  checkDocument(ctx, id, turn)
}

/** So often a document is told what is wrong with it, or an agent that nobody answers is told so. */
const TOLD_TWICE = 2

export function documentChecked(ctx: StepContext, event: EventOf<'document-checked'>): void {
  const { worker: id, there, problems, bytes } = event
  const worker = workerOf(ctx, id)
  const { phase } = worker
  const job = draftOf(worker)
  if (job === null || phase.is !== 'checking-document') return
  const { turn } = phase
  if (event.back !== undefined) tellBack(ctx, id, { paths: event.back, instead: event.instead ?? null })
  if (event.gone !== undefined) return beginAnew(ctx, id, job, event.gone)
  if (there && problems.length === 0) return whole(ctx, id, job, { bytes, turn })
  if (turn.cut) return again(ctx, id, job, problems)
  if (there) return refused(ctx, id, job, { problems, turn })
  if (job.asks && !turn.claims) return question(ctx, id, job, turn)
  idle(ctx, id, job, turn)
}

function tellBack(
  ctx: StepContext,
  id: WorkerId,
  { paths, instead }: { paths: string[]; instead: string | null },
): void {
  const what = paths.join(', ')
  const to = draftOf(workerOf(ctx, id))?.folder ?? ''
  const have = instead === null ? '' : `. Have what was there instead: cp ${quoteShellWord(instead)}/* ${to}/`
  const why = `while a paper was written those before it changed; put back: ${what}${have}`
  decide(ctx, id, 'draft', 'revert', why)
  const tell = `${CHANGED} ${what}. They were put back: write the paper and leave the others as they are.`
  patchWorker(ctx, id, { corrections: [...workerOf(ctx, id).corrections, tell] })
}

const CHANGED = 'You deleted or changed'

/** Somebody took away what the document at hand is made from: the line goes back there, and nobody goes on with what was said since. */
function beginAnew(ctx: StepContext, id: WorkerId, job: DraftJob, gone: DocumentKind): void {
  const path = documentPathIn(job.folder, gone)
  const { line } = workerOf(ctx, id)
  if (line === null || !job.documents.includes(gone)) {
    const why = `${path} is not there any more, and what follows is made from it`
    return endWorker(ctx, id, { is: 'not_drafted', why })
  }
  decide(ctx, id, 'draft', 'anew', `${path} is not there any more: the draft begins with it again`)
  patchWorker(ctx, id, {
    line: { ...line, at: gone, visits: { ...line.visits, [gone]: (line.visits[gone] ?? 0) + 1 } },
    job: { ...job, question: null, idle: 0, seen: null },
    conversation: null,
    rejections: 0,
    corrections: [],
  })
  proceed(ctx, id)
}

function whole(
  ctx: StepContext,
  id: WorkerId,
  job: DraftJob,
  { bytes, turn }: { bytes: number; turn: DraftTurn },
): void {
  const path = documentPathIn(job.folder, documentOf(workerOf(ctx, id)))
  const is = turn.cut ? 'is there' : 'is written'
  // What was wrong with this document is over; that it left its place is not.
  const corrections = workerOf(ctx, id).corrections.filter(
    (said) => said === PUT_BACK || said === STAYS || said.startsWith(CHANGED),
  )
  decide(ctx, id, 'draft', 'document', `${path} ${is}, ${count(bytes, 'byte')}`)
  patchWorker(ctx, id, { job: { ...job, question: null, idle: 0 }, rejections: 0, corrections })
  finishStage(ctx, id, 'PASS', {
    ending: { is: 'drafted', why: `the papers are in ${job.folder}` },
  })
}

/** Nobody is to blame for what lies there; it is told all the same. */
function again(ctx: StepContext, id: WorkerId, { folder }: DraftJob, problems: string[]): void {
  const worker = workerOf(ctx, id)
  const path = documentPathIn(folder, documentOf(worker))
  const tell = notWhole(path, problems.join('; '))
  if (problems.length > 0) patchWorker(ctx, id, { corrections: [...new Set([...worker.corrections, tell])] })
  proceed(ctx, id)
}

function notWhole(path: string, why: string): string {
  return `${path} is not whole yet: ${why}. Mend the file.`
}

function refused(
  ctx: StepContext,
  id: WorkerId,
  { folder }: DraftJob,
  { problems, turn }: { problems: string[]; turn: DraftTurn },
): void {
  const worker = workerOf(ctx, id)
  const path = documentPathIn(folder, documentOf(worker))
  const why = problems.join('; ')
  decide(ctx, id, 'draft', 'refuse', `${path} is not whole: ${why}`)
  const rejections = worker.rejections + (turn.drift > 0 ? 0 : 1)
  patchWorker(ctx, id, {
    rejections,
    corrections: [...worker.corrections, notWhole(path, why)],
  })
  if (rejections <= TOLD_TWICE) return finishStage(ctx, id, 'FIX')
  const said = `${path} is not whole, and the agent was told ${TOLD_TWICE} times: ${why}. The file is kept`
  finishStage(ctx, id, 'FAIL', { ending: { is: 'not_drafted', why: said } })
}

function question(ctx: StepContext, id: WorkerId, job: DraftJob, { said }: DraftTurn): void {
  patchWorker(ctx, id, { job: { ...job, question: questionIn(said), idle: 0 } })
  finishStage(ctx, id, 'UNKNOWN')
}

function idle(ctx: StepContext, id: WorkerId, job: DraftJob, turn: DraftTurn): void {
  const worker = workerOf(ctx, id)
  const path = documentPathIn(job.folder, documentOf(worker))
  const tell = turn.claims
    ? `You say that it is finished, but there is no file ${path}. Write the paper there.`
    : `There is no file ${path} yet. ${NOBODY_ANSWERS}`
  const why = turn.claims ? `it says that ${path} is finished, and it is not there` : `${path} is not there`
  decide(ctx, id, 'draft', 'idle', why)
  const times = job.idle + (turn.drift > 0 ? 0 : 1)
  patchWorker(ctx, id, {
    job: { ...job, idle: times },
    corrections: [...worker.corrections, tell],
  })
  if (times <= TOLD_TWICE) return finishStage(ctx, id, 'FIX')
  const said = `${path} was not written in ${times} turns`
  finishStage(ctx, id, 'FAIL', { ending: { is: 'not_drafted', why: said } })
}
