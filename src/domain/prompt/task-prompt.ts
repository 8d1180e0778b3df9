/**
 * The prompt of an iteration on a task, in parts with budgets of their own. The order is the one that prompt caches reward: our own words,
 * which never change, the feature, the task, what is remembered, and last what is new in this visit. Two visits of one claim have
 * everything but that last part in common, to the letter.
 */
import type { Role } from '../calls/role.ts'
import { never } from '../machine.ts'
import type { Recalled } from '../memory/recall.ts'
import type { TaskAsked } from '../state/effect.ts'
import type { TaskId } from '../task/task.ts'
import { cutTo, roomOf, tokensOf } from './budget.ts'
import { correctionsPart } from './corrections-part.ts'
import { featurePart } from './feature-part.ts'
import { journalPart } from './journal-part.ts'
import { knowledgePart } from './knowledge-part.ts'
import {
  cutRemark,
  NOTHING,
  PART_BUDGETS,
  PROMPT_PARTS,
  type Made,
  type Prompt,
  type PromptPart,
  type PromptPartName,
} from './part.ts'
import { ownText, type PromptContext } from './prompt.ts'
import { taskPart } from './task-part.ts'
import type { OwnWords, TaskTexts } from './task-texts.ts'

/** Ralph's own words, by the name of their file. */
export const TASK_PROMPT_FILES: Readonly<Record<Role, string>> = { work: 'task', opinion: 'verify' }

/** All that the parts are made of. */
export interface TaskSaid extends TaskTexts {
  own: OwnWords
  knowledge: Recalled
}

/** `context` null: nobody has begun yet. `hints`: it may ask for a model. */
export function taskPrompt(
  role: Role,
  texts: TaskSaid,
  visit: { context: PromptContext | null; task?: TaskAsked; hints?: boolean },
): Prompt {
  const parts = PROMPT_PARTS.map((name) => partOf(name, role, texts, visit))
  const said = parts.map((part) => part.text).filter((one) => one !== '')
  const text = `${said.join('\n\n')}\n`
  return { text, tokens: tokensOf(text), parts }
}

function partOf(
  name: PromptPartName,
  role: Role,
  texts: TaskSaid,
  visit: Parameters<typeof taskPrompt>[2],
): PromptPart {
  const budget = PART_BUDGETS[name]
  const made = make(name, role, texts, visit)
  return { name, ...made, tokens: tokensOf(made.text), budget }
}

function make(
  name: PromptPartName,
  role: Role,
  texts: TaskSaid,
  visit: Parameters<typeof taskPrompt>[2],
): Made {
  const room = roomOf(PART_BUDGETS[name])
  switch (name) {
    case 'stable':
      return stablePart(withHint(texts.own, visit), texts.task.id, room)
    case 'feature':
      return texts.feature === null ? NOTHING : featurePart(texts.feature, texts.task, room)
    case 'task':
      return taskPart(role, texts, room)
    case 'journal':
      // Whoever judges looks at the work, not at what the worker noted about it.
      return role === 'work' ? journalPart(texts.notes, room) : NOTHING
    case 'knowledge':
      return role === 'work' ? knowledgePart(texts.knowledge, room) : NOTHING
    case 'corrections':
      return correctionsPart(role, texts.log, { ...visit, room })
    default:
      return never(name)
  }
}

function withHint(own: OwnWords, { hints }: { hints?: boolean }): OwnWords {
  return { ...own, text: ownText(own.text, { hints }) }
}

function stablePart({ text, from }: OwnWords, id: TaskId, room: number): Made {
  const words = text.trim().replaceAll('{{id}}', () => id)
  const cut = cutTo(words, room)
  return { text: cut, from: [from], remarks: cutRemark(from, words, cut) }
}
