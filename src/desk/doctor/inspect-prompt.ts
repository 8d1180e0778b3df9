/** What an agent would be told about a task, made by the very function that a run makes it with. */
import type { Role } from '../../domain/call/role.ts'
import { aboutTask } from '../../domain/memory/recall.ts'
import type { Prompt } from '../../domain/prompt/part.ts'
import { TASK_PROMPT_FILES, taskPrompt } from '../../domain/prompt/task-prompt.ts'
import type { TaskId } from '../../domain/task/task.ts'
import { taskFor } from '../../store/task/find.ts'
import { taskTexts } from '../../store/task/texts.ts'
import { realClock } from '../../system/clock.ts'
import { recallFrom } from '../../workspace/knowledge-files.ts'
import { ownWords, readPaper } from '../../workspace/prompt-files.ts'
import { withStore } from '../store-at.ts'

/** `inspect prompt --json`. */
export interface InspectedPrompt extends Prompt {
  task: { id: TaskId; title: string }
  role: Role
}

/** As its next claim would begin: what a visit is told besides is known to its run alone. */
export function inspectPrompt(
  root: string,
  typed: string,
  { role }: { role: Role },
): Promise<InspectedPrompt> {
  return withStore(root, async ({ sql }) => {
    const task = await taskFor(sql, typed)
    const texts = await taskTexts(sql, task.id, { paper: (path) => readPaper(root, path) })
    const own = ownWords(root, TASK_PROMPT_FILES[role])
    const { id, title } = texts.task
    const knowledge = recallFrom(root, aboutTask(texts), realClock().at())
    const prompt = taskPrompt(role, { ...texts, own, knowledge }, { context: null })
    return { task: { id, title }, role, ...prompt }
  })
}
