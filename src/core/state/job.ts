/** The job of a worker, and the state that starts fresh with each job. */
import type { CheckboxCounts } from '../tree/change.ts'
import type { Breaker } from '../admission/breaker.ts'
import type { Conversation } from '../calls/conversation.ts'
import type { DraftJob } from '../features/draft.ts'
import type { ImportJob } from '../features/import-job.ts'
import type { AttemptStats } from '../models/model-strategy.ts'
import type { PipelinePosition } from '../pipeline/position.ts'
import type { Base } from '../proof/base.ts'
import type { CleanRoomCheckResult } from '../proof/clean-room-check.ts'
import type { Baseline } from '../proof/verdict.ts'
import type { VerifyRequest } from '../proof/verify-request.ts'
import type { ReviewProgress } from './state.ts'
import type { TaskId, TaskStatus } from '../tasks/task.ts'
import type { JobChange } from '../tree/job-change.ts'

export type Job =
  /** The plain loop: the user's checkout, the prompt and the plan, nothing to claim and nothing to settle. */
  | { is: 'loop' }
  /** Between two tasks. */
  | { is: 'none' }
  | TaskJob
  | DraftJob
  | VerifyJob
  | ImportJob

/** The tree is verified; no agent works on it. */
export interface VerifyJob extends VerifyRequest {
  is: 'verify'
}

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
  /** What its work changed in the tree; null: before the first snapshot. */
  own: JobChange | null
  /** It is given back as soon as its running effect has ended; `status`: of a lost one, as the store has it. */
  drop: { as: 'failed' | 'released'; why: string } | { as: 'lost'; why: string; status: TaskStatus | null } | null
}

/** A task that a person marked done keeps its files; any other dropped task is reverted. */
export function shouldRevertDropped(drop: NonNullable<TaskJob['drop']>): boolean {
  return drop.as === 'failed' || (drop.as === 'lost' && drop.status !== 'done')
}

/** How often the work of this job was begun beyond the first time. */
export function retryCount({ line }: Pick<JobState, 'line'>): number {
  return Math.max(0, (line?.visits['work'] ?? 1) - 1)
}

/** The task that a worker is at; null: none. */
export function taskJobOf({ job }: Pick<JobState, 'job'>): TaskJob | null {
  return job.is === 'task' ? job : null
}

/** The draft that a worker is at; null: none. */
export function draftJobOf({ job }: Pick<JobState, 'job'>): DraftJob | null {
  return job.is === 'draft' ? job : null
}

/** What a worker verifies; null: nothing. */
export function verifyJobOf({ job }: Pick<JobState, 'job'>): VerifyJob | null {
  return job.is === 'verify' ? job : null
}

/** The import that a worker is at; null: none. */
export function importJobOf({ job }: Pick<JobState, 'job'>): ImportJob | null {
  return job.is === 'import' ? job : null
}

/** Counts of the exit rules, each of iterations in a row. */
export interface ExitCounts {
  testOnly: number
  done: number
  indicators: number
  /** Claims of completion in a row, whether they counted or not. */
  claims: number
}

export const NO_EXIT_COUNTS: ExitCounts = { testOnly: 0, done: 0, indicators: 0, claims: 0 }

/** What belongs to the job and not to its worker. */
export interface JobState {
  job: Job
  /** Where it stands in its pipeline; null: there is no job. */
  line: PipelinePosition | null
  breaker: Breaker
  conversation: Conversation | null
  /** How it went so far, for the choice of the next model. */
  tries: AttemptStats
  exitCounts: ExitCounts
  /** Refused completions in a row. */
  rejections: number
  /** Null: no completion waits for its review. */
  review: ReviewProgress | null
  /** The agent that worked last: no agent reviews its own work unless the user says so. */
  author: string | null
  checkboxes: CheckboxCounts | null
  nextCheckbox: string | null
  /** For the next prompt. */
  previous: string | null
  corrections: string[]
  /** Of the last replies, for the stuck and decline rules. */
  previousErrors: string[]
  lastLength: number | null
  /** Iterations in a row that deleted control files. */
  consecutiveDeletions: number
  /** What completions are judged against; null: not found yet, or nothing is judged. */
  base: Base | null
  /** The result of the clean-room check; null: not checked yet. */
  room: CleanRoomCheckResult | null
  /** Set-up, lock files and gates that this holds for. */
  cleanRoomKey: string | null
  /** What each gate said before the first iteration. */
  baseline: Baseline
}
