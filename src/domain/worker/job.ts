/** What a worker is at, and what begins anew with it. */
import { NO_TALLY, type Tally } from '../iteration/exit.ts'
import type { Boxes } from '../iteration/change.ts'
import type { Breaker } from '../iteration/breaker.ts'
import type { Conversation } from '../call/conversation.ts'
import type { DraftJob } from '../draft/draft.ts'
import { never } from '../machine.ts'
import { NO_TRIES, type Tries } from '../memory/strategy.ts'
import { beginLine, type Line } from '../pipeline/line.ts'
import { CLASSIC, draftPipeline, taskPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import type { Base } from '../proof/base.ts'
import type { Fitness } from '../proof/fitness.ts'
import type { Baseline } from '../proof/verdict.ts'
import type { Held } from '../run/house.ts'
import type { TaskId, TaskStatus } from '../task/task.ts'
import type { OwnWork } from './own-work.ts'

export type Job =
  /** The plain loop: the user's checkout, the prompt and the plan, nothing to claim and nothing to settle. */
  | { is: 'loop' }
  /** Between two tasks. */
  | { is: 'none' }
  | TaskJob
  | DraftJob

export interface TaskJob {
  is: 'task'
  task: TaskId
  /** The fencing token of its claim. */
  attempt: number
  title: string
  /** How often it may be worked on again. */
  retries: number
  /** Commands that must pass for this task alone. */
  checks: string[]
  /** Globs of tests that it may change. */
  tests: string[]
  /** What its work made of the tree; null: nobody has looked yet. */
  own: OwnWork | null
  /** It is put down as soon as what runs for it has ended; `status`: of a lost one, as the store has it. */
  drop:
    | { as: 'failed' | 'released'; why: string }
    | { as: 'lost'; why: string; status: TaskStatus | null }
    | null
}

/** What a person calls done is done as it lies there; any other task that is not this worker's has no use for half of it. */
export function isLeftOver(drop: NonNullable<TaskJob['drop']>): boolean {
  return drop.as === 'failed' || (drop.as === 'lost' && drop.status !== 'done')
}

export function pipelineOf(job: Job): Pipeline {
  switch (job.is) {
    case 'loop':
      return CLASSIC
    case 'task':
      return taskPipeline(job.retries)
    case 'draft':
      return draftPipeline(job.papers)
    case 'none':
      throw new Error('a worker without a job has no pipeline')
    default:
      return never(job)
  }
}

/** How often the work of this job was begun beyond the first time. */
export function retriesOf({ line }: Pick<AtJob, 'line'>): number {
  return Math.max(0, (line?.visits['work'] ?? 1) - 1)
}

/** What belongs to the job and not to whoever does it. */
export interface AtJob {
  job: Job
  /** Where it stands in its pipeline; null: there is no job. */
  line: Line | null
  breaker: Breaker
  conversation: Conversation | null
  /** How it went so far, for the choice of the next model. */
  tries: Tries
  tally: Tally
  /** Refused completions in a row. */
  refusals: number
  held: Held | null
  /** Who worked last: nobody judges their own work unless the user says so. */
  author: string | null
  boxes: Boxes | null
  nextBox: string | null
  /** For the next prompt. */
  previous: string | null
  corrections: string[]
  /** Of the last replies, for the stuck and decline rules. */
  lastErrors: string[]
  lastLength: number | null
  /** Iterations in a row that deleted control files. */
  deletions: number
  /** What completions are judged against; null: not found yet, or nothing is judged. */
  base: Base | null
  /** Whether the clean room is fit to judge; null: nobody knows yet. */
  room: Fitness | null
  /** Set-up, lock files and gates that this holds for. */
  roomKey: string | null
  /** What each gate said before the first iteration. */
  baseline: Baseline
}

/** What a job may take over from the one before: a loop its breaker and conversation, a task what is known of the tree and the room. */
type Inherited = Pick<AtJob, 'breaker' | 'conversation'> &
  Partial<Pick<AtJob, 'base' | 'room' | 'roomKey' | 'baseline' | 'boxes' | 'nextBox'>>

export function beginJob(job: Job, from: Inherited): AtJob {
  return {
    job,
    line: job.is === 'none' ? null : beginLine(pipelineOf(job)),
    breaker: from.breaker,
    conversation: from.conversation,
    tries: NO_TRIES,
    tally: NO_TALLY,
    refusals: 0,
    held: null,
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
