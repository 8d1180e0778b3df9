/** A job begins: with its pipeline, and with what it takes over from the job before. */
import { assertNever } from '../assert-never.ts'
import { NO_ATTEMPTS } from '../models/model-strategy.ts'
import { initialPosition } from '../pipeline/position.ts'
import {
  draftPipeline,
  IMPORT_PIPELINE,
  loopPipeline,
  taskPipeline,
  VERIFY_PIPELINE,
  type Pipeline,
} from '../pipeline/pipeline.ts'
import type { Rules } from '../state/rules.ts'
import { NO_EXIT_COUNTS, type JobState, type Job } from '../state/job.ts'

/** The pipeline that a job begins with; null: there is no job. */
function pipelineFor(job: Job, { proof, task }: Rules): Pipeline | null {
  const isAsked = proof.reviewer !== null
  switch (job.is) {
    case 'loop':
      return loopPipeline({ review: isAsked })
    case 'task':
      return taskPipeline(job.retries, { review: isAsked || task.verify })
    case 'draft':
      return draftPipeline(job.documents)
    case 'verify':
      return VERIFY_PIPELINE
    case 'import':
      return IMPORT_PIPELINE
    case 'none':
      return null
    default:
      return assertNever(job)
  }
}

/** What a job takes over from the one before: a loop its breaker and conversation, a task the last snapshot and the clean-room check. */
type Inherited = Pick<JobState, 'breaker' | 'conversation'> &
  Partial<Pick<JobState, 'base' | 'room' | 'cleanRoomKey' | 'baseline' | 'checkboxes' | 'nextCheckbox'>>

export function initialJobState(job: Job, rules: Rules, from: Inherited): JobState {
  const pipeline = pipelineFor(job, rules)
  return {
    job,
    line: pipeline === null ? null : initialPosition(pipeline),
    breaker: from.breaker,
    conversation: from.conversation,
    tries: NO_ATTEMPTS,
    exitCounts: NO_EXIT_COUNTS,
    rejections: 0,
    review: null,
    author: null,
    checkboxes: from.checkboxes ?? null,
    nextCheckbox: from.nextCheckbox ?? null,
    previous: null,
    corrections: [],
    previousErrors: [],
    lastLength: null,
    consecutiveDeletions: 0,
    base: from.base ?? null,
    room: from.room ?? null,
    cleanRoomKey: from.cleanRoomKey ?? null,
    baseline: from.baseline ?? {},
  }
}
