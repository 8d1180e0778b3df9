/**
 * What an agent says became of its task: `<task-done>ID</task-done>` or `<task-failed>ID</task-failed>` in its own last message, outside of
 * code and quotes, with the right id. A hint like every signal: the gates decide.
 */
import type { TaskId } from '../tasks/task.ts'
import type { Reply } from './reply.ts'

export type ReportedTaskResult =
  | { is: 'done' }
  | { is: 'failed' }
  /** It names another task, or both ends. */
  | { is: 'unclear'; why: string }
  | { is: 'none' }

export function readTaskResult({ told }: Pick<Reply, 'told'>, task: TaskId): ReportedTaskResult {
  const { done, failed, promise } = told
  const strange = [...done, ...failed].find((id) => plainId(id) !== task)
  if (strange !== undefined) return { is: 'unclear', why: `the reply names ${strange}, but the task is ${task}` }
  // A promise of failure gives up without naming the task; the other one is about all tasks, of which it has seen one.
  const hasGivenUp = failed.length > 0 || promise === 'failure'
  if (done.length > 0 && hasGivenUp)
    return { is: 'unclear', why: `the reply says that ${task} is done and that it failed` }
  if (done.length > 0) return { is: 'done' }
  return { is: hasGivenUp ? 'failed' : 'none' }
}

/** Some dress an id up as code or as a quotation, inside the tag too; that costs nobody a visit. */
function plainId(id: TaskId): TaskId {
  return id.replaceAll(/^[`"'*]+|[`"'*]+$|[\u200b-\u200d\ufeff]/g, '')
}
