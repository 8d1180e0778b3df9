/**
 * What an agent told us in an iteration: by tags in its own words, or by calls of our tools. Hints, all of them: gates prove.
 * Verdicts count in its last message only, notes in any of its own; never what is quoted, in code, thought, printed by a tool or replayed.
 */
import type { Review } from '../proof/review.ts'
import type { TaskId } from '../tasks/task.ts'

export interface AgentReport {
  /** Tasks that it says are done, or failed, by the ids it gave. */
  done: TaskId[]
  failed: TaskId[]
  /** What stands in the way of one that failed, where it was asked for; absent: its last words say it. */
  why?: string
  /** `<promise>`: all of the work. */
  promise: 'complete' | 'failure' | null
  /** Who should work next, by the name it gave. */
  nextModel: string | null
  /** For the journal. */
  notes: string[]
  knowledge: ReportedKnowledge[]
  phase: 'spec' | 'plan' | 'build' | null
  tasksCreated: boolean
  /** Its verdict on somebody else's work; absent: it gave none. */
  review?: Review
  /** Questions to a person, each with the id by which it is answered. */
  asks: { id: string; text: string }[]
  progress: string | null
  findings: string[]
  /** What was wrong with it, in words to the agent. */
  problems: string[]
}

export interface ReportedKnowledge {
  title: string
  tags: string[]
  body: string
}

/** How much of it is kept of one iteration, whichever way it was told. */
export const AGENT_REPORT_MAX = {
  notes: 8,
  /** Characters of a note. */
  note: 4_000,
  knowledge: 8,
  /** Words of an entry. */
  words: 500,
  /** Characters of its title, and of a tag of it. */
  title: 200,
  tag: 50,
  tags: 20,
  asks: 8,
  findings: 20,
  finding: 1_000,
  problems: 6,
  /** Tasks that are said to be done, or failed. */
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

/** Of an agent that was cut off: which message would have been its last, nobody knows. What it noted for others stays. */
export function withoutVerdicts({ notes, knowledge, asks, progress, findings, problems }: AgentReport): AgentReport {
  return { ...emptyAgentReport(), notes, knowledge, asks, progress, findings, problems }
}
