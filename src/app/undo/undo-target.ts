/** What an undo reverts: a run, or the work on one task. */
import type { RunId } from '../../core/ids.ts'
import type { TaskId } from '../../core/tasks/task.ts'

export interface UndoTarget {
  /** For a task: the last run that had it. */
  run: RunId
  task: TaskId | null
}

export function undoTargetName({ run, task }: UndoTarget): string {
  return task === null ? `run ${run}` : `task ${task}`
}

/** The command to type for it. */
export function undoCommandFor({ run, task }: UndoTarget, { back }: { back: boolean }): string {
  return `ralph undo ${back ? '--undo ' : ''}${task === null ? run : `--task ${task}`}`
}
