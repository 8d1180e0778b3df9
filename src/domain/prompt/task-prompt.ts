/**
 * The prompt of an iteration on a task, in parts with budgets of their own. The order is the one that prompt caches reward: what never
 * changes, the feature, the task, what is remembered, what is to be put right.
 */
import type { Role } from '../call/role.ts'
import type { TaskAsked } from '../run/effect.ts'
import type { Task } from '../task/task.ts'
import { renderContext, type PromptContext } from './prompt.ts'

/** All that is known of a task when a prompt is made. */
export interface TaskTexts {
  task: Task
  parent: Pick<Task, 'id' | 'title' | 'description'> | null
}

/** Ralph's own words, by the name of their file. */
export const TASK_PROMPT_FILES: Readonly<Record<Role, string>> = { work: 'task', opinion: 'verify' }

export interface Prompt {
  text: string
}

export function taskPrompt(
  role: Role,
  { own, task, parent }: TaskTexts & { own: string },
  { context, task: asked }: { context: PromptContext; task?: TaskAsked },
): Prompt {
  const about = [
    '## Your task',
    '',
    `- Id: ${task.id}`,
    `- Title: ${task.title}`,
    ...(asked === undefined || asked.visit === 1 ? [] : [`- Try ${asked.visit} of ${asked.of}.`]),
    ...(parent === null ? [] : [`- Part of: ${parent.title}`]),
    '',
    task.description,
    ...(task.criteria.length === 0
      ? []
      : ['', 'It is done when:', ...task.criteria.map((one) => `- ${one}`)]),
  ].join('\n')
  const fixed = `${own.trim().replaceAll('{{id}}', task.id)}\n\n${about}`
  return { text: role === 'work' ? renderContext(context, fixed) : `${fixed}\n` }
}
