/** The input of a task's prompt, as read from the store and from files of the project. */
import type { Task, TaskId, TaskLogEntry } from '../tasks/task.ts'

/** All that is known about a task when its prompt is built. */
export interface TaskTexts {
  task: Task
  parent: Pick<Task, 'id' | 'title' | 'description'> | null
  /** The finished ones; the nearest first. */
  blockers: FinishedBlocker[]
  feature: FeatureDocuments | null
  /** The log of the task, the oldest first. */
  log: Pick<TaskLogEntry, 'kind' | 'author' | 'text'>[]
  notes: {
    /** Of this run, the newest first. */
    recent: PromptNote[]
    /** Of any run: those about the task itself, then the best matches. */
    matching: PromptNote[]
  }
}

export interface FinishedBlocker {
  id: TaskId
  title: string
  /** The summary of its last iteration; else why it is done; else its description. */
  summary: string
}

export interface FeatureDocuments {
  name: string
  /** What to build. */
  spec: DocumentText | null
  /** How to build it. */
  plan: DocumentText | null
}

/** A document of the project, by its path in it. */
export type DocumentText =
  | { is: 'read'; path: string; text: string; /** False: only its beginning. */ whole: boolean }
  | { is: 'unread'; path: string; why: string }

export interface PromptNote {
  task: TaskId | null
  author: string
  text: string
  /** The work of its iteration was reverted or failed: what the note says about the tree may be wrong. */
  lost?: 'undone' | 'failed'
}

/** Ralph's instructions for a role, or the user's instead, and their file. */
export interface RolePrompt {
  text: string
  from: string
}
