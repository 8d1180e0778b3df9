/**
 * Reads a plan of checkboxes (`fix_plan.md`): how many are open, how many done, which is next. A checkbox is `- [ ]` or `- [x]` at any
 * indentation. Checkboxes in optional sections are listed but not counted; those inside code fences are examples, not work.
 */
import type { CheckboxCounts } from '../tree/change.ts'
import { fencedLines } from '../text/code-fences.ts'

export interface PlanItem {
  /** The text after the checkbox, trimmed. */
  text: string
  done: boolean
  /** It is under a heading that the settings call optional. */
  optional: boolean
  /** From 0. */
  line: number
}

export interface PlanCheckboxes extends CheckboxCounts {
  items: PlanItem[]
}

/** `optionalSections`: heading titles, compared without regard to case. */
export function parseCheckboxes(text: string, optionalSections: string[]): PlanCheckboxes {
  const items = readItems(text, optionalSections)
  const counted = items.filter((item) => !item.optional)
  const done = counted.filter((item) => item.done).length
  return { open: counted.length - done, done, items }
}

/** Long enough to recognise the item, short enough for one line of a screen. */
const NEXT_MAX = 120

/** The first open item that counts, or null when none is left. */
export function nextOpenCheckbox(text: string, optionalSections: string[] = []): string | null {
  const next = readItems(text, optionalSections).find((item) => !item.done && !item.optional)
  if (next === undefined) return null
  return next.text.length <= NEXT_MAX ? next.text : `${next.text.slice(0, NEXT_MAX - 1)}…`
}

const CHECKBOX = /^\s*- \[([ xX])\](.*)$/
const HEADING = /^(#+)\s+(.*)$/

function readItems(text: string, optionalSections: string[]): PlanItem[] {
  const optionalTitles = new Set(optionalSections.map((title) => title.trim().toLowerCase()))
  const lines = text.split(/\r?\n/)
  const fenced = fencedLines(lines)
  const items: PlanItem[] = []
  /** Level of the current optional heading; deeper headings belong to it. */
  let optionalLevel: number | null = null
  for (const [line, content] of lines.entries()) {
    if (fenced.has(line)) continue
    const heading = HEADING.exec(content)
    if (heading !== null) {
      const level = (heading[1] ?? '').length
      if (optionalLevel !== null && level > optionalLevel) continue
      optionalLevel = optionalTitles.has((heading[2] ?? '').trim().toLowerCase()) ? level : null
      continue
    }
    const checkbox = CHECKBOX.exec(content)
    if (checkbox === null) continue
    items.push({ text: (checkbox[2] ?? '').trim(), done: checkbox[1] !== ' ', optional: optionalLevel !== null, line })
  }
  return items
}

/** Ignores formatting and allowances: agents strike an item out or make it bold when they tick it. */
export function checkboxKey(text: string): string {
  return text
    .replaceAll(/\[(?:tests|protected):[^\]]*\]/gi, '')
    .replaceAll(/[`*_~]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/** How often each text occurs: two checkboxes with the same text are two. */
export function countOccurrences(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Removes one occurrence and returns whether there was one. */
export function removeOccurrence(counts: Map<string, number>, text: string): boolean {
  const left = counts.get(text) ?? 0
  if (left > 1) counts.set(text, left - 1)
  else counts.delete(text)
  return left > 0
}
