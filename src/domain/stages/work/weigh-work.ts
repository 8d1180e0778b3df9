/** After an iteration of the loop: the agent's words, its boxes and its measured change decide what comes next. */
import { answered } from '../../calls/failure.ts'
import type { WorkerId } from '../../ids.ts'
import { hasMoved } from '../../tree/change.ts'
import { cameToNothing, gotFurther, hintTold } from '../../calls/choose-model.ts'
import {
  conversationAfter,
  corrections,
  denialsOf,
  tagProblems,
  unheard,
  wordWithoutTask,
  type Concluded,
} from '../../calls/concluded.ts'
import { describeDenial, describeDenials, firstWord } from '../../calls/denial.ts'
import { endIteration } from '../../calls/end-iteration.ts'
import { moveBreaker } from '../../admission/move-breaker.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import { withChange } from '../../reply/analyze.ts'
import { isStuck } from '../../reply/stuck.ts'
import type { IterationOutcome } from '../../state/decision.ts'
import type { Completion } from '../../state/state.ts'
import { isComplete } from '../../state/outcome.ts'
import { decide, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { waitFor } from '../../pipeline/wait.ts'
import { weigh, type Weighed } from '../../calls/exit.ts'

/** The agent worked: its words, its boxes and its measured change decide what comes next. */
export function weighWork(course: Course, id: WorkerId, done: Concluded): void {
  const { reply, change } = done
  const signals = withChange(reply.signals, change.files > 0)
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const { joined, real } = denialsOf(reply, rules.agent.tools)
  for (const denial of joined)
    decide(
      course,
      id,
      'exit',
      'warn',
      `${describeDenial(denial)} was denied as a joined line, although ${firstWord(denial.command ?? '')} is on the tool list; the run goes on`,
    )
  const progress = hasMoved(change, done.ticked)
  const facts = {
    signals,
    denials: real,
    allow: reply.allow,
    boxes: worker.boxes,
    gates: rules.gates.length > 0,
    moved: progress,
  }
  const weighed = weigh(worker.tally, facts, rules.exit)
  endIteration(course, id, ...outcomeOf(done, weighed, progress))
  const stuck = isStuck(reply.signals.errors, [worker.lastErrors])
  const declined = isDecline(worker.lastLength, reply.textLength, rules.breaker.outputDecline)
  patchWorker(course, id, {
    failures: 0,
    steering: unheard(worker),
    tally: weighed.tally,
    refusals: weighed.claimed ? worker.refusals : 0,
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: [
      ...corrections(done, weighed.refused, worker, { joined, denied: real, tools: rules.agent.tools }),
      ...hintTold(course, done),
      ...tagProblems(reply),
      ...wordWithoutTask(reply),
    ],
    lastErrors: reply.signals.errors,
    lastLength: reply.textLength,
    conversation: conversationAfter(course, id, done),
  })
  answered(course, done.agent)
  const accepted = weighed.exit !== null
  const blocked = reply.signals.block?.status === 'BLOCKED'
  moveBreaker(course, id, {
    progress: progress || accepted,
    question: reply.signals.questions > 0,
    error: stuck,
    said: real.length > 0 ? describeDenials(real) : (reply.signals.errors[0] ?? ''),
    // Where the first denial ends the run, a person has decided before the next.
    denied: real.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined,
  })
  if (weighed.exit !== null) return claim(course, id, weighed.exit)
  const isJobStuck = stuck || blocked || workerOf(course, id).breaker.is === 'open'
  // Nothing changed and nothing claimed is nothing as well: a breaker would end the run before another model has tried.
  const isBarren = weighed.refused !== null || !(progress || weighed.claimed)
  if (isJobStuck || isBarren) cameToNothing(course, id, { stuck: isJobStuck })
  else if (progress) gotFurther(course, id)
  if (weighed.refused !== null) decide(course, id, 'proof', 'refuse', weighed.refused)
  pauseOrNext(course, id)
}

function outcomeOf(
  done: Concluded,
  { exit, refused }: Weighed,
  progress: boolean,
): [IterationOutcome, string] {
  if (exit !== null) return [isComplete(exit.is) ? 'claimed' : 'halted', exit.why]
  if (refused !== null) return ['rejected', refused]
  return [progress ? 'progress' : 'no-progress', reasonToGoOn(done, progress)]
}

/** The agent says that it is done, or what it did ends the work otherwise. */
function claim(course: Course, id: WorkerId, completion: Completion): void {
  if (isComplete(completion.is)) return finishStage(course, id, 'PASS', { completion })
  finishStage(course, id, 'FAIL', { ending: completion })
}

function pauseOrNext(course: Course, id: WorkerId): void {
  const { pauseMs } = course.house.run.rules.loop
  if (pauseMs > 0 && workerOf(course, id).breaker.is !== 'open')
    return waitFor(course, id, pauseMs, 'the pause between two iterations')
  proceed(course, id)
}

function reasonToGoOn(done: Concluded, progress: boolean): string {
  const { block } = done.reply.signals
  if (!progress) return 'nothing changed and completion was not claimed'
  if (block?.status === 'BLOCKED')
    return `the agent says it is blocked: ${block.recommendation ?? 'no reason given'}`
  return done.ticked ? 'boxes were ticked and work remains' : 'work was done and completion was not claimed'
}

function isDecline(before: number | null, length: number, percent: number): boolean {
  return before !== null && before > 0 && percent > 0 && length < (before * (100 - percent)) / 100
}
