/** After an iteration on a task: the agent's task result decides what follows, and the gates decide whether it is true. */
import { markReachable } from '../../calls/call-failure.ts'
import type { WorkerId } from '../../ids.ts'
import { assertNever } from '../../assert-never.ts'
import { readTaskResult, type ReportedTaskResult } from '../../agent-output/task-result.ts'
import type { Reply } from '../../agent-output/reply.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import { patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { finishStage } from '../../pipeline/finish-stage.ts'
import type { TaskJob } from '../../state/job.ts'
import { hasMadeProgress } from '../../tree/change.ts'
import { modelHintCorrections } from '../../calls/choose-model.ts'
import {
  conversationAfter,
  correctionsFor,
  splitDenials,
  endingOnDenial,
  tagProblems,
  undeliveredSteering,
  type IterationResult,
} from '../../calls/iteration-result.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'

export function evaluateTaskIteration(ctx: StepContext, id: WorkerId, done: IterationResult & { job: TaskJob }): void {
  const { reply, agent, job } = done
  const { rules } = ctx.state.run
  const { real: denied } = splitDenials(reply, rules.agent.tools)
  const word = taskResultOf(reply, job)
  const told = correctionsFor(ctx, id, done)
  patchWorker(ctx, id, {
    failures: 0,
    steering: undeliveredSteering(workerOf(ctx, id)),
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: [
      ...[...told, ...taskResultCorrections(word, job)].slice(-4),
      ...tagProblems(reply),
      ...modelHintCorrections(ctx, done),
    ],
    conversation: conversationAfter(ctx, id, done),
  })
  markReachable(ctx, agent)
  const halt = endingOnDenial(denied, reply, rules.exit)
  if (halt !== null) {
    recordIterationEnd(ctx, id, 'halted', halt.why)
    return endWorker(ctx, id, halt)
  }
  finishByTaskResult(ctx, id, { word, ...done })
}

/** The tag, or else the status block, whose exit signal means the same. */
function taskResultOf(reply: Reply, { task }: TaskJob): ReportedTaskResult {
  const word = readTaskResult(reply, task)
  if (word.is !== 'none') return word
  const { signals } = reply
  if (signals.exitSignal === true || (signals.exitSignal === null && signals.block?.status === 'COMPLETE'))
    return { is: 'done' }
  return word
}

function taskResultCorrections(word: ReportedTaskResult, { task }: TaskJob): string[] {
  switch (word.is) {
    case 'done':
      return []
    case 'failed':
      return ['You said that the task failed. Find another way, or say exactly what blocks it.']
    case 'unclear':
      return [`The result of your task is unclear: ${word.why}.`]
    case 'none':
      return [`You did not report the result of your task. When it is done, end with <task-done>${task}</task-done>.`]
    default:
      return assertNever(word)
  }
}

function finishByTaskResult(
  ctx: StepContext,
  id: WorkerId,
  { word, job, reply, change, ticked }: { word: ReportedTaskResult; job: TaskJob } & IterationResult,
): void {
  const moved = hasMadeProgress(change, ticked) ? 'progress' : 'no-progress'
  const because = reply.told.why ?? reply.signals.summary.trim()
  switch (word.is) {
    case 'done': {
      const why = `the agent says that ${job.task} is done`
      recordIterationEnd(ctx, id, 'claimed', why)
      return finishStage(ctx, id, 'PASS', { completion: { is: 'tasks_complete', why } })
    }
    case 'failed': {
      const why = `the agent gave up${because === '' ? '' : `: ${because}`}`
      recordIterationEnd(ctx, id, 'gave-up', why)
      const word = isAskedAgain(ctx, id) ? 'UNKNOWN' : 'FAIL'
      return finishStage(ctx, id, word, { again: { because: why, judged: false, hasGivenUp: true } })
    }
    case 'unclear':
      recordIterationEnd(ctx, id, moved, word.why)
      return finishStage(ctx, id, 'UNKNOWN', { again: { because: word.why, judged: false } })
    case 'none': {
      const why = 'the agent reported no result'
      recordIterationEnd(ctx, id, moved, why)
      // Without the tag the task is tried again, although the status block says that it is blocked.
      const isBlocked = reply.signals.block?.status === 'BLOCKED'
      return finishStage(ctx, id, 'UNKNOWN', {
        again: { because: why, judged: false, ...(isBlocked ? { hasGivenUp: true } : {}) },
      })
    }
    default:
      return assertNever(word)
  }
}

/** An agent that gives up again and again costs money and does not change its mind. */
function isAskedAgain(ctx: StepContext, id: WorkerId): boolean {
  return workerOf(ctx, id).tries.giveUps < ctx.state.run.rules.task.giveUps
}
