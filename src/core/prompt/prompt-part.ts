/** A part of a prompt: its text, its budget, and where the text comes from. */
import { byteSize, divideSpace, estimateTokens, truncateToBytes } from './prompt-budget.ts'

/** In the order of the prompt. */
export const PROMPT_PARTS = ['stable', 'feature', 'task', 'journal', 'knowledge', 'corrections'] as const
export type PromptPartName = (typeof PROMPT_PARTS)[number]

/** In tokens. The task's part has space for the longest description in English. */
export const PART_BUDGETS: Readonly<Record<PromptPartName, number>> = {
  stable: 2_000,
  feature: 4_000,
  task: 20_000,
  journal: 1_500,
  knowledge: 1_500,
  corrections: 600,
}
/** The part of the task's budget for its parent and the finished blockers together. */
export const RELATED_TASKS_BUDGET = 1_500

export interface PromptPart {
  name: PromptPartName
  /** The text in the prompt. */
  text: string
  tokens: number
  budget: number
  /** Files, and tables of the store. */
  from: string[]
  /** What was cut or could not be read. */
  remarks: string[]
}

export interface Prompt {
  text: string
  tokens: number
  /** Includes empty parts: one may have a remark. */
  parts: PromptPart[]
}

/** The content of a part, within its budget. */
export type PartContent = Pick<PromptPart, 'text' | 'from' | 'remarks'>

export const EMPTY_PART: PartContent = { text: '', from: [], remarks: [] }

/** Bullets under a heading; empty without entries. */
export function bulletList(heading: string, entries: string[]): string {
  return entries.length === 0 ? '' : [heading, ...entries.map(bullet)].join('\n')
}

/** Further lines are indented below their bullet. */
export function bullet(text: string): string {
  return `- ${text.trim().replaceAll('\n', '\n  ')}`
}

/** The remark about a text that did not fit. */
export function truncationRemark(what: string, whole: string, said: string): string[] {
  if (whole === said) return []
  return [`${what}: ${estimateTokens(said)} of ${estimateTokens(whole)} tokens`]
}

export interface TextToFit {
  /** Its name in the remark if it is cut. */
  what: string
  text: string
  /** Its guaranteed share of the space. */
  share: number
}

/** Cuts texts to a space that they share; unused space goes to the others, in order. */
export function fitTexts(
  room: number,
  sharing: readonly TextToFit[],
): Pick<PromptPart, 'remarks'> & { texts: string[] } {
  const rooms = divideSpace(
    room,
    sharing.map(({ text, share }) => ({ need: byteSize(text), share: share * room })),
  )
  const texts = sharing.map(({ text }, index) => truncateToBytes(text, Math.floor(rooms[index] ?? 0)))
  const remarks = sharing.flatMap(({ what, text }, index) => truncationRemark(what, text, texts[index] ?? ''))
  return { texts, remarks }
}
