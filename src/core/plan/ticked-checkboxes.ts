/** Which checkboxes of a plan were ticked between two readings of it, by their text. */
import { checkboxKey, countOccurrences, parseCheckboxes, removeOccurrence, type PlanItem } from './fix-plan.ts'

export interface TickedCheckboxes {
  /** With their current text. */
  done: string[]
  /** Ticked before, and open again. */
  undone: string[]
}

/** A checkbox that only moved or got a remark is the same; a new one that is already ticked counts as ticked. */
export function tickedBetween(before: string, now: string, optionalSections: string[]): TickedCheckboxes {
  const old = parseCheckboxes(before, optionalSections).items
  const fresh = parseCheckboxes(now, optionalSections).items
  const wereDone = keysOf(old.filter(({ done }) => done))
  const wereOpen = keysOf(old.filter(({ done }) => !done))
  // First matches checkboxes with unchanged text: the rest was reworded or is new.
  const changed = fresh.filter(({ text, done }) => !removeOccurrence(done ? wereDone : wereOpen, checkboxKey(text)))
  const done = changed.filter((item) => item.done && !isRemarked(item.text, { wereDone, wereOpen }))
  const undone = changed.filter((item) => !item.done && removeOccurrence(wereDone, checkboxKey(item.text)))
  return { done: done.map(({ text }) => text), undone: undone.map(({ text }) => text) }
}

function keysOf(items: PlanItem[]): Map<string, number> {
  return countOccurrences(items.map(({ text }) => checkboxKey(text)))
}

/** Whether it is a checkbox that was already ticked and only got a remark; not one that was open until now. */
function isRemarked(text: string, were: Record<'wereDone' | 'wereOpen', Map<string, number>>): boolean {
  const key = checkboxKey(text)
  if (were.wereOpen.has(key)) return false
  const known = [...were.wereDone.keys()].find((other) => other !== '' && key.startsWith(other))
  return known !== undefined && removeOccurrence(were.wereDone, known)
}
