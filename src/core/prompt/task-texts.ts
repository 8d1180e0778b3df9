/** What a prompt about a task is made of, as it was read from the store and from files of the project. */
import type { Task, TaskId, TaskLogEntry } from '../tasks/task.ts'

/** All that is known of a task when a prompt is made. */
export interface TaskTexts {
  task: Task
  parent: Pick<Task, 'id' | 'title' | 'description'> | null
  /** Those that are done; the nearest first. */
  blockers: FinishedBlocker[]
  feature: FeatureDocuments | null
  /** What was said about the task, the oldest first. */
  log: Pick<TaskLogEntry, 'kind' | 'author' | 'text'>[]
  notes: {
    /** Of this run, the newest first. */
    recent: PromptNote[]
    /** Of any run: those about the task itself, then the best match first. */
    matching: PromptNote[]
  }
}

export interface FinishedBlocker {
  id: TaskId
  title: string
  /** What its last iteration said; else why it is done; else what it was about. */
  summary: string
}

export interface FeatureDocuments {
  name: string
  /** What is wanted. */
  spec: DocumentText | null
  /** How it is to be built. */
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
  /** The work it was left at did not stay: what it says of the tree may not hold. */
  lost?: 'undone' | 'failed'
}

/** Ralph's own words for a role, or the user's instead, and the file they stand in. */
export interface RolePrompt {
  text: string
  from: string
}
