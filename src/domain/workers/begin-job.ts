/** A job begins: with its pipeline, and with what it takes over from the job before. */
import { never } from '../machine.ts'
import { NO_TRIES } from '../memory/strategy.ts'
import { beginLine } from '../pipeline/position.ts'
import {
  draftPipeline,
  loopPipeline,
  taskPipeline,
  VERIFY_PIPELINE,
  type Pipeline,
} from '../pipeline/pipeline.ts'
import type { Rules } from '../state/rules.ts'
import { NO_TALLY, type AtJob, type Job } from '../state/job.ts'

/** The pipeline that a job begins with; null: there is no job. */
function pipelineFor(job: Job, { proof, task }: Rules): Pipeline | null {
  const isAsked = proof.opinion !== null
  switch (job.is) {
    case 'loop':
      return loopPipeline({ review: isAsked })
    case 'task':
      return taskPipeline(job.retries, { review: isAsked || task.verify })
    case 'draft':
      return draftPipeline(job.papers)
    case 'verify':
      return VERIFY_PIPELINE
    case 'none':
      return null
    default:
      return never(job)
  }
}

/** What a job may take over from the one before: a loop its breaker and conversation, a task what is known of the tree and the room. */
type Inherited = Pick<AtJob, 'breaker' | 'conversation'> &
  Partial<Pick<AtJob, 'base' | 'room' | 'roomKey' | 'baseline' | 'boxes' | 'nextBox'>>

export function beginJob(job: Job, rules: Rules, from: Inherited): AtJob {
  const pipeline = pipelineFor(job, rules)
  return {
    job,
    line: pipeline === null ? null : beginLine(pipeline),
    breaker: from.breaker,
    conversation: from.conversation,
    tries: NO_TRIES,
    tally: NO_TALLY,
    refusals: 0,
    review: null,
    author: null,
    boxes: from.boxes ?? null,
    nextBox: from.nextBox ?? null,
    previous: null,
    corrections: [],
    lastErrors: [],
    lastLength: null,
    deletions: 0,
    base: from.base ?? null,
    room: from.room ?? null,
    roomKey: from.roomKey ?? null,
    baseline: from.baseline ?? {},
  }
}
