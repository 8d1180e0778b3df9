/**
 * The prompt of an iteration on a task, in parts with their own budgets. The order suits prompt caches: Ralph's instructions, which never
 * change, the feature, the task, journal and knowledge, and last what is new in this attempt. All parts but the last are identical in two
 * attempts of one claim.
 */
import type { Role } from '../calls/role.ts'
import { assertNever } from '../assert-never.ts'
import type { RecalledKnowledge } from '../memory/recall.ts'
import type { TaskCall } from '../state/effect.ts'
import { truncateToBytes, bytesForTokens, estimateTokens } from './prompt-budget.ts'
import { correctionsPart } from './corrections-part.ts'
import { featurePart } from './feature-part.ts'
import { journalPart } from './journal-part.ts'
import { knowledgePart } from './knowledge-part.ts'
import {
  truncationRemark,
  EMPTY_PART,
  PART_BUDGETS,
  PROMPT_PARTS,
  type PartContent,
  type Prompt,
  type PromptPart,
  type PromptPartName,
} from './prompt-part.ts'
import { withNextModelHint, type PromptContext } from './loop-prompt.ts'
import { taskPart } from './task-part.ts'
import type { RolePrompt, TaskTexts } from './task-texts.ts'

/** The files with Ralph's instructions. */
export const TASK_PROMPT_FILES: Readonly<Record<Role, string>> = { work: 'task', review: 'verify' }

/** The input of all parts. */
export interface TaskPromptTexts extends TaskTexts {
  own: RolePrompt
  knowledge: RecalledKnowledge
}

/** `context` null: no iteration has begun yet. `hints`: the agent may ask for a model. */
export function buildTaskPrompt(
  role: Role,
  texts: TaskPromptTexts,
  visit: { context: PromptContext | null; task?: TaskCall; hints?: boolean },
): Prompt {
  const parts = PROMPT_PARTS.map((name): PromptPart => {
    const made = make(name, role, texts, visit)
    return { name, ...made, tokens: estimateTokens(made.text), budget: PART_BUDGETS[name] }
  })
  const said = parts.map((part) => part.text).filter((one) => one !== '')
  const text = `${said.join('\n\n')}\n`
  return { text, tokens: estimateTokens(text), parts }
}

function make(
  name: PromptPartName,
  role: Role,
  texts: TaskPromptTexts,
  visit: Parameters<typeof buildTaskPrompt>[2],
): PartContent {
  const room = bytesForTokens(PART_BUDGETS[name])
  switch (name) {
    case 'stable':
      return stablePart(texts, visit, room)
    case 'feature':
      return texts.feature === null ? EMPTY_PART : featurePart(texts.feature, texts.task, room)
    case 'task':
      return taskPart(role, texts, room)
    case 'journal':
      // A reviewer judges the work, not the notes about it.
      return role === 'work' ? journalPart(texts.notes, room) : EMPTY_PART
    case 'knowledge':
      return role === 'work' ? knowledgePart(texts.knowledge, room) : EMPTY_PART
    case 'corrections':
      return correctionsPart(role, texts.log, { ...visit, room })
    default:
      return assertNever(name)
  }
}

function stablePart({ own, task }: TaskPromptTexts, { hints }: { hints?: boolean }, room: number): PartContent {
  const { text, from } = own
  const words = withNextModelHint(text, { hints })
    .trim()
    .replaceAll('{{id}}', () => task.id)
  const cut = truncateToBytes(words, room)
  return { text: cut, from: [from], remarks: truncationRemark(from, words, cut) }
}
