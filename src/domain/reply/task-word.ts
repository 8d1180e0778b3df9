/**
 * What an agent says became of its task, read from its own last message: `<task-done>ID</task-done>` or `<task-failed>ID</task-failed>`,
 * outside of code and quotes, with the right id. A hint like every signal: the gates decide.
 */
import type { TaskId } from '../task/task.ts'

export type TaskWord =
  | { is: 'done' }
  | { is: 'failed' }
  /** It names another task, or both ends. */
  | { is: 'unclear'; why: string }
  | { is: 'none' }

const TAG = /<task-(done|failed)>\s*([^<>\s]{1,80})\s*<\/task-\1>/g

export function readTaskWord(words: string, task: TaskId): TaskWord {
  const tags = [...withoutCode(words).matchAll(TAG)]
  const [first] = tags
  if (first === undefined) return { is: 'none' }
  const strange = tags.find(([, , id]) => id !== task)
  if (strange !== undefined)
    return { is: 'unclear', why: `the reply names ${strange[2] ?? ''}, but the task is ${task}` }
  const said = new Set(tags.map(([, word]) => word))
  if (said.size > 1) return { is: 'unclear', why: `the reply says that ${task} is done and that it failed` }
  return { is: said.has('done') ? 'done' : 'failed' }
}

/** What stands in code, or is quoted from elsewhere, is not said. */
function withoutCode(text: string): string {
  return text
    .replace(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/^\s*>.*$/gm, '')
}
