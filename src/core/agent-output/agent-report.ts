/**
 * What an agent reported in an iteration: by tags in its own text, or by calls of Ralph's tools. All of it is a hint: only gates prove.
 * Verdicts count in the last message only, notes in any message. Nothing counts in quotations, code, thoughts, tool output or replays.
 */
import type { Review } from '../proof/review.ts'
import type { TaskId } from '../tasks/task.ts'

export interface AgentReport {
  /** Ids of the tasks that the agent reports as done, or as failed. */
  done: TaskId[]
  failed: TaskId[]
  /** Why a task failed, if the agent gave a reason; absent: use its last message. */
  why?: string
  /** `<promise>`: about all of the work. */
  promise: 'complete' | 'failure' | null
  /** The model that the agent asks for in the next iteration. */
  nextModel: string | null
  /** For the journal. */
  notes: string[]
  knowledge: ReportedKnowledge[]
  phase: 'spec' | 'plan' | 'build' | null
  tasksCreated: boolean
  /** A reviewer's verdict; absent: it gave none. */
  review?: Review
  /** Questions to a person; the answer refers to the id. */
  asks: { id: string; text: string }[]
  progress: string | null
  findings: string[]
  /** What was wrong with the report, as text for the agent. */
  problems: string[]
}

export interface ReportedKnowledge {
  title: string
  tags: string[]
  body: string
}

/** How much Ralph keeps per iteration, from tags and tool calls together. */
export const AGENT_REPORT_LIMITS = {
  notes: 8,
  /** Characters of a note. */
  note: 4_000,
  knowledge: 8,
  /** Words of a knowledge entry. */
  words: 500,
  /** Characters of its title, and of one of its tags. */
  title: 200,
  tag: 50,
  tags: 20,
  asks: 8,
  findings: 20,
  finding: 1_000,
  problems: 6,
  /** Tasks reported as done, or as failed. */
  tasks: 8,
} as const

export function emptyAgentReport(): AgentReport {
  return {
    done: [],
    failed: [],
    promise: null,
    nextModel: null,
    notes: [],
    knowledge: [],
    phase: null,
    tasksCreated: false,
    asks: [],
    progress: null,
    findings: [],
    problems: [],
  }
}

/** For an agent that was interrupted: its last message is unknown, so its verdicts do not count. Its notes do. */
export function withoutVerdicts({ notes, knowledge, asks, progress, findings, problems }: AgentReport): AgentReport {
  return { ...emptyAgentReport(), notes, knowledge, asks, progress, findings, problems }
}
