/**
 * Merges three versions of a plan. Checkboxes are identified by their text, wherever their lines moved: a checkbox that was ticked between
 * `theirs` and `base` is open again, also if a person moved it, reworded it or edited the line since. All other lines are merged line by
 * line.
 */
import { checkboxKey, parseCheckboxes, type PlanItem } from './fix-plan.ts'
import { diffHunks, splitKeepingLineEnds, mergeThreeWay, type ThreeWayText } from '../text/merge-lines.ts'

/** Null: a conflict; both changed the same lines differently. */
export function mergePlan({ base, ours, theirs }: ThreeWayText): string | null {
  const turned = toggledCheckboxes(base, theirs)
  const others = rewordedCheckboxes(turned, { base, ours })
  if (others === null) return null
  return mergeThreeWay({ base: applyToggles(base, turned), ours: applyToggles(ours, [...turned, ...others]), theirs })
}

export interface ToggledCheckbox {
  text: string
  /** Its state in the second text. */
  done: boolean
}

/** Checkboxes that are in both texts, ticked in one and open in the other. */
export function toggledCheckboxes(from: string, to: string): ToggledCheckbox[] {
  const there = new Map<string, PlanItem[]>()
  for (const item of itemsOf(to)) there.set(item.text, [...(there.get(item.text) ?? []), item])
  return itemsOf(from).flatMap(({ text, done }) => {
    const counterpart = there.get(text)?.shift()
    return counterpart === undefined || counterpart.done === done ? [] : [{ text, done: counterpart.done }]
  })
}

/**
 * Toggled checkboxes that a person has reworded since, with their new text: the only checkbox in the old one's place whose words include
 * the old ones, or are included in them. Null: it is unclear whether a checkbox is a reworded one or a person's own.
 */
function rewordedCheckboxes(
  turned: readonly ToggledCheckbox[],
  { base, ours }: Pick<ThreeWayText, 'base' | 'ours'>,
): ToggledCheckbox[] | null {
  const [old, now] = [itemsOf(base), itemsOf(ours)]
  const occurrences = (items: PlanItem[], text: string): PlanItem[] => items.filter((one) => one.text === text)
  const lost = turned.filter(({ text }) => occurrences(now, text).length < occurrences(old, text).length)
  const fresh = now.filter(({ text }) => occurrences(old, text).length === 0)
  if (lost.length === 0 || fresh.length === 0) return []
  const lines = splitKeepingLineEnds(ours)
  const hunks = diffHunks(splitKeepingLineEnds(base), lines)
  if (hunks === null) return null
  const found = new Map<PlanItem, ToggledCheckbox>()
  const unfound: PlanItem[][] = []
  for (const { text, done } of lost) {
    const places = occurrences(old, text)
    const there = hunks.filter(({ from, to }) => places.some(({ line }) => from <= line && line < to))
    const written = new Set(there.flatMap((hunk) => hunk.lines))
    const candidates = fresh.filter((one) => one.done !== done)
    const inPlace = candidates.filter(({ line }) => written.has(lines[line] ?? ''))
    const alike = candidates.filter((one) => isAlike(one.text, text))
    const [one, ...more] = alike
    if (one === undefined) unfound.push(inPlace)
    else if (more.length > 0 || places.length > 1 || !inPlace.includes(one) || found.has(one)) return null
    else found.set(one, { text: one.text, done })
  }
  if (unfound.some((inPlace) => inPlace.some((one) => !found.has(one)))) return null
  return [...found.values()]
}

/** Whether all words of one text are in the other. */
function isAlike(a: string, b: string): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  const isIn = (inner: Set<string>, outer: Set<string>): boolean =>
    inner.size > 0 && [...inner].every((word) => outer.has(word))
  return isIn(one, other) || isIn(other, one)
}

function wordsOf(text: string): Set<string> {
  return new Set(checkboxKey(text).match(/[\p{L}\p{N}]+/gu))
}

function itemsOf(text: string): PlanItem[] {
  return parseCheckboxes(text, []).items
}

/** Applies each toggle once, to the first checkbox with its text that is not in that state yet. */
function applyToggles(text: string, turned: readonly ToggledCheckbox[]): string {
  const lines = text.split('\n')
  const left = [...turned]
  for (const item of itemsOf(text)) {
    const next = left.findIndex((one) => one.text === item.text && one.done !== item.done)
    const [checkbox] = next === -1 ? [] : left.splice(next, 1)
    if (checkbox === undefined) continue
    lines[item.line] = (lines[item.line] ?? '').replace(/\[[ xX]\]/, checkbox.done ? '[x]' : '[ ]')
  }
  return lines.join('\n')
}
