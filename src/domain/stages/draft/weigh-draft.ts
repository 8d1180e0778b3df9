/**
 * After a turn of a draft: what it changed beside its paper is put back, then what was said is written down and the paper is looked at. A
 * paper that is whole leads on; one that is not is told twice what is wrong with it. Where there is none, the agent asks.
 */
import { answered as heard } from '../../calls/failure.ts'
import type { WorkerId } from '../../ids.ts'
import {
  conversationAfter,
  corrections,
  denialsOf,
  haltBy,
  tagProblems,
  type Concluded,
} from '../../calls/concluded.ts'
import { describeDenials } from '../../calls/denial.ts'
import { endIteration } from '../../calls/end-iteration.ts'
import { moveBreaker } from '../../admission/move-breaker.ts'
import { never } from '../../machine.ts'
import type { Reply } from '../../reply/reply.ts'
import type { EventOf } from '../../state/event.ts'
import { finish } from '../../pipeline/finish.ts'
import { decide, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { count } from '../../text/amounts.ts'
import { shellWord } from '../../text/shell.ts'
import { clip } from '../../text/text.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import { draftOf } from '../../state/job.ts'
import { isStopping } from '../../admission/order.ts'
import { lookedBefore, wentBack } from '../../tree/own-work.ts'
import { haveItBack, leftWords, wentWords } from '../../tree/revert-words.ts'
import { NOBODY } from './ask.ts'
import { clear, isAstray, stays } from './clear.ts'
import { NO_TURN, takePaper } from './take-paper.ts'
import { paperIn, type PaperKind } from '../../feature/paper.ts'
import { paperOf, questionIn, type DraftJob, type DraftTurn } from '../../feature/draft.ts'

/** More is in the log of the turn. */
const SAID_MAX = 4_000

/** The agent ended well. */
export function weighDraft(course: Course, id: WorkerId, done: Concluded & { job: DraftJob }): void {
  const { reply, agent } = done
  const { rules } = course.house.run
  const { joined, real: denied } = denialsOf(reply, rules.agent.tools)
  // A question is what a draft is made of, and no lines of the plan are its own.
  const asked = { ...done, reply: { ...reply, signals: { ...reply.signals, questions: 0 } } }
  const worker = workerOf(course, id)
  const told = corrections(
    asked,
    null,
    { nextBox: null, footing: worker.footing },
    { joined, denied, tools: rules.agent.tools },
  )
  patchWorker(course, id, {
    failures: 0,
    previous: null,
    corrections: [...told, ...tagProblems(reply)],
    conversation: conversationAfter(course, id, done),
  })
  heard(course, agent)
  const halt = haltBy(denied, reply, rules.exit)
  if (halt !== null) {
    endIteration(course, id, 'halted', halt.why)
    if (isAstray(course, id)) stays(course, id, 'the run ends')
    return finish(course, id, halt)
  }
  endIteration(course, id, 'progress', 'the agent ended its turn')
  moveBreaker(course, id, {
    progress: !isAstray(course, id),
    question: false,
    error: false,
    said: denied.length > 0 ? describeDenials(denied) : '',
    denied: denied.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined: false,
  })
  clearFirst(course, id, turnOf(reply))
}

/** Nobody heard its end: what is whole all the same is not asked for again. */
export function weighCut(course: Course, id: WorkerId): void {
  clearFirst(course, id, NO_TURN)
}

function turnOf({ lastWords, told }: Reply): DraftTurn {
  const claims = told.phase !== null || told.tasksCreated
  // What it asks by a call it may not say again.
  const asked = told.asks.map(({ text }) => text.trim()).filter((text) => !lastWords.includes(text))
  const said = [lastWords.trim(), ...asked].filter((text) => text !== '').join('\n\n')
  return { said: clip(said, SAID_MAX), cut: false, claims, astray: 0 }
}

function clearFirst(course: Course, id: WorkerId, turn: DraftTurn): void {
  if (!isAstray(course, id)) return take(course, id, turn)
  if (!clear(course, id, turn)) itStays(course, id, turn)
}

export function wasCleared(course: Course, event: EventOf<'put-back'>): void {
  const { worker: id } = event
  const worker = workerOf(course, id)
  const { phase } = worker
  const job = draftOf(worker)
  if (job === null || phase.is !== 'clearing') return
  switch (event.is) {
    case 'stays':
      return notCleared(course, id, event.why)
    case 'back': {
      wentBack(course, event)
      patchWorker(course, id, { job: { ...job, own: null } })
      lookedBefore(course, id, event.snapshot)
      decide(course, id, 'draft', 'put-back', sayCleared(event))
      const astray = event.files + event.commits
      return goOn(course, id, phase.turn, { astray, tell: PUT_BACK })
    }
    default:
      return never(event)
  }
}

function sayCleared(event: Extract<EventOf<'put-back'>, { is: 'back' }>): string {
  const were = event.files + event.commits === 1 ? 'was' : 'were'
  return `while a paper was written other things changed: ${wentWords(event)} ${were} put back${leftWords(event)}. See what changed: ${haveItBack(event)}`
}

/** It could not be put back, or nobody knows how far it came. */
export function notCleared(course: Course, id: WorkerId, why: string): void {
  const { phase } = workerOf(course, id)
  if (phase.is !== 'clearing') return
  // Half of it may be done: what is there is nobody's edit.
  patchWorker(course, id, { measured: false })
  stays(course, id, why)
  itStays(course, id, phase.turn)
}

/** Of a turn that was cut off it may be somebody else's, and whoever is asked next did not do it. */
function itStays(course: Course, id: WorkerId, turn: DraftTurn): void {
  goOn(course, id, turn, { astray: 1, tell: turn.cut ? null : STAYS })
}

const PUT_BACK =
  'You changed files of the project. They were put back: write the paper and nothing else, neither code nor commits.'
const STAYS =
  'You changed files of the project. Write the paper and nothing else, neither code nor commits, and take back what you changed.'

function goOn(
  course: Course,
  id: WorkerId,
  turn: DraftTurn,
  { astray, tell }: { astray: number; tell: string | null },
): void {
  if (tell !== null) patchWorker(course, id, { corrections: [...workerOf(course, id).corrections, tell] })
  take(course, id, { ...turn, astray })
}

/** Whoever stops looks at nothing any more. */
function take(course: Course, id: WorkerId, turn: DraftTurn): void {
  if (isStopping(course, id)) return proceed(course, id)
  takePaper(course, id, turn)
}

/** So often a paper is told what is wrong with it, or an agent that nobody answers is told so. */
const TOLD_TWICE = 2

export function paperTaken(course: Course, event: EventOf<'paper-taken'>): void {
  const { worker: id, there, problems, bytes } = event
  const worker = workerOf(course, id)
  const { phase } = worker
  const job = draftOf(worker)
  if (job === null || phase.is !== 'taking') return
  const { turn } = phase
  if (event.back !== undefined) tellBack(course, id, { paths: event.back, instead: event.instead ?? null })
  if (event.gone !== undefined) return beginAnew(course, id, job, event.gone)
  if (there && problems.length === 0) return whole(course, id, job, { bytes, turn })
  if (turn.cut) return again(course, id, job, problems)
  if (there) return refused(course, id, job, { problems, turn })
  if (job.asks && !turn.claims) return question(course, id, job, turn)
  idle(course, id, job, turn)
}

function tellBack(
  course: Course,
  id: WorkerId,
  { paths, instead }: { paths: string[]; instead: string | null },
): void {
  const what = paths.join(', ')
  const to = draftOf(workerOf(course, id))?.folder ?? ''
  const have = instead === null ? '' : `. Have what was there instead: cp ${shellWord(instead)}/* ${to}/`
  const why = `while a paper was written those before it changed; put back: ${what}${have}`
  decide(course, id, 'draft', 'put-back', why)
  const tell = `${CHANGED} ${what}. They were put back: write the paper and leave the others as they are.`
  patchWorker(course, id, { corrections: [...workerOf(course, id).corrections, tell] })
}

const CHANGED = 'You deleted or changed'

/** Somebody took away what the paper at hand is made from: the line goes back there, and nobody goes on with what was said since. */
function beginAnew(course: Course, id: WorkerId, job: DraftJob, gone: PaperKind): void {
  const path = paperIn(job.folder, gone)
  const { line } = workerOf(course, id)
  if (line === null || !job.papers.includes(gone)) {
    const why = `${path} is not there any more, and what follows is made from it`
    return finish(course, id, { is: 'not_drafted', why })
  }
  decide(course, id, 'draft', 'anew', `${path} is not there any more: the draft begins with it again`)
  patchWorker(course, id, {
    line: { ...line, at: gone, visits: { ...line.visits, [gone]: (line.visits[gone] ?? 0) + 1 } },
    job: { ...job, question: null, idle: 0, seen: null },
    conversation: null,
    refusals: 0,
    corrections: [],
  })
  proceed(course, id)
}

function whole(
  course: Course,
  id: WorkerId,
  job: DraftJob,
  { bytes, turn }: { bytes: number; turn: DraftTurn },
): void {
  const path = paperIn(job.folder, paperOf(workerOf(course, id)))
  const is = turn.cut ? 'is there' : 'is written'
  // What was wrong with this paper is over; that it left its place is not.
  const corrections = workerOf(course, id).corrections.filter(
    (said) => said === PUT_BACK || said === STAYS || said.startsWith(CHANGED),
  )
  decide(course, id, 'draft', 'paper', `${path} ${is}, ${count(bytes, 'byte')}`)
  patchWorker(course, id, { job: { ...job, question: null, idle: 0 }, refusals: 0, corrections })
  finishStage(course, id, 'PASS', {
    ending: { is: 'drafted', why: `the papers are in ${job.folder}` },
  })
}

/** Nobody is to blame for what lies there; it is told all the same. */
function again(course: Course, id: WorkerId, { folder }: DraftJob, problems: string[]): void {
  const worker = workerOf(course, id)
  const path = paperIn(folder, paperOf(worker))
  const tell = notWhole(path, problems.join('; '))
  if (problems.length > 0)
    patchWorker(course, id, { corrections: [...new Set([...worker.corrections, tell])] })
  proceed(course, id)
}

function notWhole(path: string, why: string): string {
  return `${path} is not whole yet: ${why}. Mend the file.`
}

function refused(
  course: Course,
  id: WorkerId,
  { folder }: DraftJob,
  { problems, turn }: { problems: string[]; turn: DraftTurn },
): void {
  const worker = workerOf(course, id)
  const path = paperIn(folder, paperOf(worker))
  const why = problems.join('; ')
  decide(course, id, 'draft', 'refuse', `${path} is not whole: ${why}`)
  const refusals = worker.refusals + (turn.astray > 0 ? 0 : 1)
  patchWorker(course, id, {
    refusals,
    corrections: [...worker.corrections, notWhole(path, why)],
  })
  if (refusals <= TOLD_TWICE) return finishStage(course, id, 'FIX')
  const said = `${path} is not whole, and the agent was told ${TOLD_TWICE} times: ${why}. The file is kept`
  finishStage(course, id, 'FAIL', { ending: { is: 'not_drafted', why: said } })
}

function question(course: Course, id: WorkerId, job: DraftJob, { said }: DraftTurn): void {
  patchWorker(course, id, { job: { ...job, question: questionIn(said), idle: 0 } })
  finishStage(course, id, 'UNKNOWN')
}

function idle(course: Course, id: WorkerId, job: DraftJob, turn: DraftTurn): void {
  const worker = workerOf(course, id)
  const path = paperIn(job.folder, paperOf(worker))
  const tell = turn.claims
    ? `You say that it is finished, but there is no file ${path}. Write the paper there.`
    : `There is no file ${path} yet. ${NOBODY}`
  const why = turn.claims ? `it says that ${path} is finished, and it is not there` : `${path} is not there`
  decide(course, id, 'draft', 'idle', why)
  const times = job.idle + (turn.astray > 0 ? 0 : 1)
  patchWorker(course, id, {
    job: { ...job, idle: times },
    corrections: [...worker.corrections, tell],
  })
  if (times <= TOLD_TWICE) return finishStage(course, id, 'FIX')
  const said = `${path} was not written in ${times} turns`
  finishStage(course, id, 'FAIL', { ending: { is: 'not_drafted', why: said } })
}
