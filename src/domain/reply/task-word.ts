/**
 * What an agent says became of its task: `<task-done>ID</task-done>` or `<task-failed>ID</task-failed>` in its own last message, outside of
 * code and quotes, with the right id. A hint like every signal: the gates decide.
 */
import type { TaskId } from '../task/task.ts'
import type { Reply } from './reply.ts'
import type { Told } from './told.ts'

export type TaskWord =
  | { is: 'done' }
  | { is: 'failed' }
  /** It names another task, or both ends. */
  | { is: 'unclear'; why: string }
  | { is: 'none' }

export function readTaskWord({ told, lastWords }: Pick<Reply, 'told' | 'lastWords'>, task: TaskId): TaskWord {
  const said: Said = told ?? oldWords(lastWords)
  const { done, failed, promise, named = [...done, ...failed] } = said
  const strange = named.find((id) => plainId(id) !== task)
  if (strange !== undefined)
    return { is: 'unclear', why: `the reply names ${strange}, but the task is ${task}` }
  // A promise of failure gives up without naming the task; the other one is about all tasks, of which it has seen one.
  const gaveUp = failed.length > 0 || promise === 'failure'
  if (done.length > 0 && gaveUp)
    return { is: 'unclear', why: `the reply says that ${task} is done and that it failed` }
  if (done.length > 0) return { is: 'done' }
  return { is: gaveUp ? 'failed' : 'none' }
}

/** Some dress an id up as code or as a quotation, inside the tag too; that costs nobody a visit. */
function plainId(id: TaskId): TaskId {
  return id.replaceAll(/^[`"'*]+|[`"'*]+$|[\u200b-\u200d\ufeff]/g, '')
}

/** `named`: the ids in the order in which they were given, where that is known. */
type Said = Pick<Told, 'done' | 'failed' | 'promise'> & { named?: TaskId[] }

const TAG = /<task-(done|failed)>\s*([^<>\s]{1,80})\s*<\/task-\1>/g

/** Of a reply that an earlier version read, which kept no more than its last words. */
function oldWords(words: string): Said {
  const tags = [...withoutCode(words).matchAll(TAG)]
  const ids = (some: typeof tags) => some.map(([, , id = '']) => id)
  const of = (word: string) => ids(tags.filter(([, said]) => said === word))
  return { done: of('done'), failed: of('failed'), promise: null, named: ids(tags) }
}

/** What stands in code, or is quoted from elsewhere, is not said. */
function withoutCode(text: string): string {
  return text
    .replace(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/^\s*>.*$/gm, '')
}
