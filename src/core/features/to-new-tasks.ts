/** From the document that was accepted to tasks of the store: keys become ids. */
import { newTask, type NewTask, type TaskId } from '../tasks/task.ts'
import type { DraftTask } from './task-file.ts'

/** `idOf`: of every key of the document; null: what it meant was deleted, and nothing hangs on it any more. */
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

/** A task has no list of files: whoever works on it is told them in words. */
function descriptionOf({ description, files }: DraftTask): string {
  const words = description.trim()
  if (files.length === 0) return words
  return [words, `Files: ${files.join(', ')}`].filter((part) => part !== '').join('\n\n')
}
