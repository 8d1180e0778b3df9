/** Converts an accepted task file to tasks of the store: keys become ids. */
import { newTask, type NewTask, type TaskId } from '../tasks/task.ts'
import type { DraftTask } from './task-file.ts'

/** `idOf`: the id for a key of the task file; null: the task was deleted, so references to it are dropped. */
export function newTasksFrom(
  tasks: DraftTask[],
  { feature, idOf }: { feature: string; idOf: (key: string) => TaskId | null },
): NewTask[] {
  return tasks.map((task) => {
    const { key, title, parent, after, checks, tests, criteria, priority } = task
    return newTask(title, {
      id: idOf(key),
      description: descriptionOf(task),
      parent: parent === null ? null : idOf(parent),
      blockers: [...new Set(after)].flatMap((blocker) => idOf(blocker) ?? []),
      feature,
      priority,
      checks,
      tests,
      criteria,
    })
  })
}

/** A task has no list of files, so the description names them. */
function descriptionOf({ description, files }: DraftTask): string {
  const words = description.trim()
  if (files.length === 0) return words
  return [words, `Files: ${files.join(', ')}`].filter((part) => part !== '').join('\n\n')
}
