/** What a worker is at, and what begins anew with it. */
import { NO_TALLY, type Tally } from '../iteration/exit.ts'
import type { Boxes } from '../iteration/change.ts'
import type { Breaker } from '../iteration/breaker.ts'
import type { Conversation } from '../call/conversation.ts'
import { never } from '../machine.ts'
import { beginLine, type Line } from '../pipeline/line.ts'
import { CLASSIC, type Pipeline } from '../pipeline/pipeline.ts'
import type { Base } from '../proof/base.ts'
import type { Fitness } from '../proof/fitness.ts'
import type { Baseline } from '../proof/verdict.ts'
import type { Held } from '../run/house.ts'

/** The plain loop: the user's checkout, the prompt and the plan, nothing to claim and nothing to deliver. */
export interface Job {
  is: 'loop'
}

export function pipelineOf(job: Job): Pipeline {
  switch (job.is) {
    case 'loop':
      return CLASSIC
    default:
      return never(job.is)
  }
}

/** What belongs to the job and not to whoever does it. */
export interface AtJob {
  job: Job
  /** Where it stands in its pipeline. */
  line: Line
  breaker: Breaker
  conversation: Conversation | null
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

/** A job as it begins; a loop goes on with the breaker and the conversation of the run before. */
export function beginJob(job: Job, from: Pick<AtJob, 'breaker' | 'conversation'>): AtJob {
  return {
    job,
    line: beginLine(pipelineOf(job)),
    breaker: from.breaker,
    conversation: from.conversation,
    tally: NO_TALLY,
    refusals: 0,
    held: null,
    author: null,
    boxes: null,
    nextBox: null,
    previous: null,
    corrections: [],
    lastErrors: [],
    lastLength: null,
    deletions: 0,
    base: null,
    room: null,
    roomKey: null,
    baseline: {},
  }
}
