/** Which checkboxes of a plan were ticked between two readings of it, by their text. */
import { checkboxKey, parseCheckboxes } from './fix-plan.ts'

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
  const changed = fresh.filter(({ text, done }) => !take(done ? wereDone : wereOpen, checkboxKey(text)))
  const done = changed.filter((item) => item.done && !isRemarked(item.text, { wereDone, wereOpen }))
  const undone = changed.filter((item) => !item.done && take(wereDone, checkboxKey(item.text)))
  return { done: done.map(({ text }) => text), undone: undone.map(({ text }) => text) }
}

function keysOf(items: { text: string }[]): Map<string, number> {
  const keys = new Map<string, number>()
  for (const { text } of items) keys.set(checkboxKey(text), (keys.get(checkboxKey(text)) ?? 0) + 1)
  return keys
}

/** Removes one occurrence and returns whether there was one: two checkboxes with the same text are two. */
function take(keys: Map<string, number>, key: string): boolean {
  const left = keys.get(key) ?? 0
  if (left > 1) keys.set(key, left - 1)
  else keys.delete(key)
  return left > 0
}

/** Whether it is a checkbox that was already ticked and only got a remark; not one that was open until now. */
function isRemarked(text: string, were: Record<'wereDone' | 'wereOpen', Map<string, number>>): boolean {
  const key = checkboxKey(text)
  if (were.wereOpen.has(key)) return false
  const known = [...were.wereDone.keys()].find((other) => other !== '' && key.startsWith(other))
  return known !== undefined && take(were.wereDone, known)
}
