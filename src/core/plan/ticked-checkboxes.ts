/** Which checkboxes of a plan were ticked between two readings of it, by their text. */
import { checkboxKey, parseCheckboxes } from './fix-plan.ts'

export interface TickedCheckboxes {
  /** As they read now. */
  done: string[]
  /** Ticked before, and open again. */
  undone: string[]
}

/** A checkbox that only moved, or to which a remark was added, is the one it was; one that comes in ticked counts as ticked. */
export function tickedBetween(before: string, now: string, optionalSections: string[]): TickedCheckboxes {
  const old = parseCheckboxes(before, optionalSections).items
  const fresh = parseCheckboxes(now, optionalSections).items
  const wereDone = keysOf(old.filter(({ done }) => done))
  const wereOpen = keysOf(old.filter(({ done }) => !done))
  // Boxes that read as before come first: what is left then was reworded, or is new.
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

/** Whether it was there, and no longer is: two checkboxes of one text are two. */
function take(keys: Map<string, number>, key: string): boolean {
  const left = keys.get(key) ?? 0
  if (left > 1) keys.set(key, left - 1)
  else keys.delete(key)
  return left > 0
}

/** A checkbox that was ticked already, with words behind it that are new; not one that was open until now. */
function isRemarked(text: string, were: Record<'wereDone' | 'wereOpen', Map<string, number>>): boolean {
  const key = checkboxKey(text)
  if (were.wereOpen.has(key)) return false
  const known = [...were.wereDone.keys()].find((other) => other !== '' && key.startsWith(other))
  return known !== undefined && take(were.wereDone, known)
}
