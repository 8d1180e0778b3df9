/** A part of a prompt: what it says, how much room it has, and where its words come from. */
import { byteSize, divideSpace, estimateTokens, truncateTo } from './prompt-budget.ts'

/** They stand in the prompt in this order. */
export const PROMPT_PARTS = ['stable', 'feature', 'task', 'journal', 'knowledge', 'corrections'] as const
export type PromptPartName = (typeof PROMPT_PARTS)[number]

/** In tokens. The task's own words have room for the longest description in English. */
export const PART_BUDGETS: Readonly<Record<PromptPartName, number>> = {
  stable: 2_000,
  feature: 4_000,
  task: 20_000,
  journal: 1_500,
  knowledge: 1_500,
  corrections: 600,
}
/** Of the task's: for its parent and the finished blockers together. */
export const RELATED_TASKS_BUDGET = 1_500

export interface PromptPart {
  name: PromptPartName
  /** As it stands in the prompt. */
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
  /** Also those that have nothing to say: one may have a remark. */
  parts: PromptPart[]
}

/** What a part is made of; it has never more room than its budget. */
export type PartContent = Pick<PromptPart, 'text' | 'from' | 'remarks'>

export const EMPTY_PART: PartContent = { text: '', from: [], remarks: [] }

/** Points under a heading; nothing without points. */
export function bulletList(heading: string, entries: string[]): string {
  return entries.length === 0 ? '' : [heading, ...entries.map(bullet)].join('\n')
}

/** Further lines belong to the point they stand under. */
export function bullet(text: string): string {
  return `- ${text.trim().replaceAll('\n', '\n  ')}`
}

/** What is said of a text that did not fit. */
export function truncationRemark(what: string, whole: string, said: string): string[] {
  if (whole === said) return []
  return [`${what}: ${estimateTokens(said)} of ${estimateTokens(whole)} tokens`]
}

export interface SharingText {
  /** What it is called where it is cut. */
  what: string
  text: string
  /** The part of the room that it has for sure. */
  share: number
}

/** Texts cut to a room that they share; what some leave over goes to the others, the first first. */
export function fitTexts(
  room: number,
  sharing: readonly SharingText[],
): Pick<PromptPart, 'remarks'> & { texts: string[] } {
  const rooms = divideSpace(
    room,
    sharing.map(({ text, share }) => ({ need: byteSize(text), share: share * room })),
  )
  const texts = sharing.map(({ text }, index) => truncateTo(text, Math.floor(rooms[index] ?? 0)))
  const remarks = sharing.flatMap(({ what, text }, index) => truncationRemark(what, text, texts[index] ?? ''))
  return { texts, remarks }
}
