/**
 * What an agent told us in an iteration: by tags in its own words, or through `ralph mcp`. Hints, all of them: gates prove.
 * Verdicts count in its last message only, notes in any of its own; never what is quoted, in code, thought, printed by a tool or replayed.
 */
import type { TaskId } from '../task/task.ts'

export interface Told {
  /** Tasks that it says are done, or failed, by the ids it gave. */
  done: TaskId[]
  failed: TaskId[]
  /** `<promise>`: all of the work. */
  promise: 'complete' | 'failure' | null
  /** Who should work next, by the name it gave. */
  nextModel: string | null
  /** For the journal. */
  notes: string[]
  knowledge: KnowledgeSaid[]
  phase: 'spec' | 'plan' | 'build' | null
  tasksCreated: boolean
  /** Questions to a person, each with the id by which it is answered. */
  asks: { id: string; text: string }[]
  progress: string | null
  findings: string[]
  /** What was wrong with it, in words to the agent. */
  problems: string[]
}

export interface KnowledgeSaid {
  title: string
  tags: string[]
  body: string
}
