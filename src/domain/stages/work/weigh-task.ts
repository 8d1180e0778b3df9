/** After an iteration on a task: its own word decides what is done with it, and the gates whether that holds. */
import { answered } from '../../calls/failure.ts'
import type { WorkerId } from '../../ids.ts'
import { never } from '../../machine.ts'
import { readTaskWord, type TaskWord } from '../../reply/task-word.ts'
import type { Reply } from '../../reply/reply.ts'
import { finish } from '../../pipeline/finish.ts'
import { patchWorker, workerOf, type Course } from '../../state/context.ts'
import { finishStage } from '../../pipeline/finish-stage.ts'
import type { TaskJob } from '../../state/job.ts'
import { hasMoved } from '../../tree/change.ts'
import { hintTold } from '../../calls/choose-model.ts'
import {
  conversationAfter,
  corrections,
  denialsOf,
  haltBy,
  tagProblems,
  unheard,
  type Concluded,
} from '../../calls/concluded.ts'
import { endIteration } from '../../calls/end-iteration.ts'

export function weighTask(course: Course, id: WorkerId, done: Concluded & { job: TaskJob }): void {
  const { reply, agent, job } = done
  const { rules } = course.house.run
  const { joined, real: denied } = denialsOf(reply, rules.agent.tools)
  const word = wordOf(reply, job)
  const told = corrections(
    done,
    null,
    { nextBox: null, footing: workerOf(course, id).footing },
    {
      joined,
      denied,
      tools: rules.agent.tools,
    },
  )
  patchWorker(course, id, {
    failures: 0,
    steering: unheard(workerOf(course, id)),
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: [
      ...[...told, ...tellWord(word, job)].slice(-4),
      ...tagProblems(reply),
      ...hintTold(course, done),
    ],
    conversation: conversationAfter(course, id, done),
  })
  answered(course, agent)
  const halt = haltBy(denied, reply, rules.exit)
  if (halt !== null) {
    endIteration(course, id, 'halted', halt.why)
    return finish(course, id, halt)
  }
  say(course, id, { word, ...done })
}

/** The tag, or else the status block, whose exit signal means the same. */
function wordOf(reply: Reply, { task }: TaskJob): TaskWord {
  const word = readTaskWord(reply, task)
  if (word.is !== 'none') return word
  const { signals } = reply
  if (signals.exitSignal === true || (signals.exitSignal === null && signals.block?.status === 'COMPLETE'))
    return { is: 'done' }
  return word
}

function tellWord(word: TaskWord, { task }: TaskJob): string[] {
  switch (word.is) {
    case 'done':
      return []
    case 'failed':
      return ['You said that the task failed. Find another way, or say exactly what stands in it.']
    case 'unclear':
      return [`It was not clear what became of your task: ${word.why}.`]
    case 'none':
      return [
        `You did not say what became of your task. When it is done, end with <task-done>${task}</task-done>.`,
      ]
    default:
      return never(word)
  }
}

function say(
  course: Course,
  id: WorkerId,
  { word, job, reply, change, ticked }: { word: TaskWord; job: TaskJob } & Concluded,
): void {
  const moved = hasMoved(change, ticked) ? 'progress' : 'no-progress'
  const because = reply.told.why ?? reply.signals.summary.trim()
  switch (word.is) {
    case 'done': {
      const why = `the agent says that ${job.task} is done`
      endIteration(course, id, 'claimed', why)
      return finishStage(course, id, 'PASS', { completion: { is: 'tasks_complete', why } })
    }
    case 'failed': {
      const why = `the agent says that it failed${because === '' ? '' : `: ${because}`}`
      endIteration(course, id, 'gave-up', why)
      return finishStage(course, id, 'FAIL', { again: { because: why, judged: false, gaveUp: true } })
    }
    case 'unclear':
      endIteration(course, id, moved, word.why)
      return finishStage(course, id, 'UNKNOWN', { again: { because: word.why, judged: false } })
    case 'none': {
      const why = 'the agent did not say what became of it'
      endIteration(course, id, moved, why)
      // Without the tag the task is tried again, but that it is blocked was said.
      const isBlocked = reply.signals.block?.status === 'BLOCKED'
      return finishStage(course, id, 'UNKNOWN', {
        again: { because: why, judged: false, ...(isBlocked ? { gaveUp: true } : {}) },
      })
    }
    default:
      return never(word)
  }
}
