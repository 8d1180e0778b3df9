/** After an iteration of the loop: the agent's status, the plan's checkboxes and the measured change decide what comes next. */
import { markReachable } from '../../calls/call-failure.ts'
import type { WorkerId } from '../../ids.ts'
import { hasMadeProgress } from '../../tree/change.ts'
import { recordFailedAttempt, recordSmoothAttempt, modelHintCorrections } from '../../calls/choose-model.ts'
import {
  conversationAfter,
  correctionsFor,
  splitDenials,
  tagProblems,
  undeliveredSteering,
  strayReportCorrections,
  type IterationResult,
} from '../../calls/iteration-result.ts'
import { describeDenial, describeDenials, firstWord } from '../../calls/denial.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'
import { updateBreaker } from '../../admission/update-breaker.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import { withMeasuredChange } from '../../agent-output/analyze-reply.ts'
import { isStuck } from '../../agent-output/is-stuck.ts'
import type { IterationOutcome } from '../../state/decision.ts'
import type { CompletionClaim } from '../../state/state.ts'
import { isCompleteOutcome } from '../../state/outcome.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { requestWaitFor } from '../../pipeline/wait.ts'
import { evaluateExit, type ExitEvaluation } from '../../calls/exit-rules.ts'

/** The agent worked: applies the exit rules and the breaker to the iteration. */
export function evaluateLoopIteration(ctx: StepContext, id: WorkerId, done: IterationResult): void {
  const { reply, change } = done
  const signals = withMeasuredChange(reply.signals, change.files > 0)
  const { rules } = ctx.state.run
  const worker = workerOf(ctx, id)
  const { joined, real } = splitDenials(reply, rules.agent.tools)
  for (const denial of joined)
    recordDecision(
      ctx,
      id,
      'exit',
      'warn',
      `${describeDenial(denial)} was denied: ${firstWord(denial.command ?? '')} is allowed, but not joined with other commands; continuing`,
    )
  const progress = hasMadeProgress(change, done.ticked)
  const facts = {
    signals,
    denials: real,
    allow: reply.allow,
    checkboxes: worker.checkboxes,
    gates: rules.gates.length > 0,
    moved: progress,
  }
  const weighed = evaluateExit(worker.exitCounts, facts, rules.exit)
  recordIterationEnd(ctx, id, ...outcomeOf(done, weighed, progress))
  const stuck = isStuck(reply.signals.errors, [worker.previousErrors])
  const declined = isDecline(worker.lastLength, reply.textLength, rules.breaker.outputDecline)
  patchWorker(ctx, id, {
    failures: 0,
    steering: undeliveredSteering(worker),
    exitCounts: weighed.exitCounts,
    rejections: weighed.claimed ? worker.rejections : 0,
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: [
      ...correctionsFor(ctx, id, done, weighed.refused),
      ...modelHintCorrections(ctx, done),
      ...tagProblems(reply),
      ...strayReportCorrections(reply),
    ],
    previousErrors: reply.signals.errors,
    lastLength: reply.textLength,
    conversation: conversationAfter(ctx, id, done),
  })
  markReachable(ctx, done.agent)
  const accepted = weighed.exit !== null
  const blocked = reply.signals.block?.status === 'BLOCKED'
  updateBreaker(ctx, id, {
    progress: progress || accepted,
    question: reply.signals.questions > 0,
    error: stuck,
    said: real.length > 0 ? describeDenials(real) : (reply.signals.errors[0] ?? ''),
    // If a denial ends the run, a person decides before the next one.
    denied: real.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined,
  })
  if (weighed.exit !== null) return claim(ctx, id, weighed.exit)
  const isJobStuck = stuck || blocked || workerOf(ctx, id).breaker.is === 'open'
  // No change and no claim count as a failed visit too; otherwise the breaker would end the run before another model has tried.
  const isBarren = weighed.refused !== null || !(progress || weighed.claimed)
  if (isJobStuck || isBarren) recordFailedAttempt(ctx, id, { stuck: isJobStuck })
  else if (progress) recordSmoothAttempt(ctx, id)
  if (weighed.refused !== null) recordDecision(ctx, id, 'proof', 'refuse', weighed.refused)
  pauseOrNext(ctx, id)
}

function outcomeOf(
  done: IterationResult,
  { exit, refused }: ExitEvaluation,
  progress: boolean,
): [IterationOutcome, string] {
  if (exit !== null) return [isCompleteOutcome(exit.is) ? 'claimed' : 'halted', exit.why]
  if (refused !== null) return ['rejected', refused]
  return [progress ? 'progress' : 'no-progress', reasonToGoOn(done, progress)]
}

/** The agent claims completion, or an exit rule ends the work. */
function claim(ctx: StepContext, id: WorkerId, completion: CompletionClaim): void {
  if (isCompleteOutcome(completion.is)) return finishStage(ctx, id, 'PASS', { completion })
  finishStage(ctx, id, 'FAIL', { ending: completion })
}

function pauseOrNext(ctx: StepContext, id: WorkerId): void {
  const { pauseMs } = ctx.state.run.rules.loop
  if (pauseMs > 0 && workerOf(ctx, id).breaker.is !== 'open')
    return requestWaitFor(ctx, id, pauseMs, 'pause between iterations')
  continueWorker(ctx, id)
}

function reasonToGoOn(done: IterationResult, progress: boolean): string {
  const { block } = done.reply.signals
  if (!progress) return 'no changes; not finished yet'
  if (block?.status === 'BLOCKED') return `the agent says it is blocked: ${block.recommendation ?? 'no reason given'}`
  return done.ticked ? 'progress made; more items left' : 'changes made; not finished yet'
}

function isDecline(before: number | null, length: number, percent: number): boolean {
  return before !== null && before > 0 && percent > 0 && length < (before * (100 - percent)) / 100
}
