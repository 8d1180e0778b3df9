/**
 * The result that an agent reports for its task: `<task-done>ID</task-done>` or `<task-failed>ID</task-failed>` in its last message,
 * outside of code and quotes, with the right id. A hint like every signal: the gates decide.
 */
import type { TaskId } from '../tasks/task.ts'
import type { Reply } from './reply.ts'

export type ReportedTaskResult =
  | { is: 'done' }
  | { is: 'failed' }
  /** It names another task, or reports both results. */
  | { is: 'unclear'; why: string }
  | { is: 'none' }

export function readTaskResult({ told }: Pick<Reply, 'told'>, task: TaskId): ReportedTaskResult {
  const { done, failed, promise } = told
  const strange = [...done, ...failed].find((id) => plainId(id) !== task)
  if (strange !== undefined) return { is: 'unclear', why: `the reply names ${strange}, but the task is ${task}` }
  // A promise of failure gives up without naming the task. A promise of completion is about all tasks, and this agent saw only one.
  const hasGivenUp = failed.length > 0 || promise === 'failure'
  if (done.length > 0 && hasGivenUp)
    return { is: 'unclear', why: `the reply says that ${task} is done and that it failed` }
  if (done.length > 0) return { is: 'done' }
  return { is: hasGivenUp ? 'failed' : 'none' }
}

/** Some agents format the id as code or as a quotation, even inside the tag; that is no reason to fail the attempt. */
function plainId(id: TaskId): TaskId {
  return id.replaceAll(/^[`"'*]+|[`"'*]+$|[\u200b-\u200d\ufeff]/g, '')
}
