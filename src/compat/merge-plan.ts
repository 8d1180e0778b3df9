/**
 * Three versions of a plan in one. Boxes are told by their text, wherever their lines went: a box that was ticked between `theirs` and
 * `base` is open again, also where a person moved it or wrote beside it since. All other lines are merged as lines are. Pure.
 */
import { countBoxes, type PlanItem } from './fix-plan.ts'
import { mergeLines, type Texts } from './merge-lines.ts'

/** Null: both changed the same lines, each in its own way. */
export function mergePlan({ base, ours, theirs }: Texts): string | null {
  const turned = turnedBoxes(base, theirs)
  return mergeLines({ base: turn(base, turned), ours: turn(ours, turned), theirs })
}

export interface TurnedBox {
  text: string
  /** What it is in the second text. */
  done: boolean
}

/** Boxes that stand in both texts, ticked in one and open in the other. */
export function turnedBoxes(from: string, to: string): TurnedBox[] {
  const there = new Map<string, PlanItem[]>()
  for (const item of itemsOf(to)) there.set(item.text, [...(there.get(item.text) ?? []), item])
  return itemsOf(from).flatMap(({ text, done }) => {
    const counterpart = there.get(text)?.shift()
    return counterpart === undefined || counterpart.done === done ? [] : [{ text, done: counterpart.done }]
  })
}

function itemsOf(text: string): PlanItem[] {
  return countBoxes(text, []).items
}

/** Each is turned once, at the first box of its text that is not that way already. */
function turn(text: string, turned: readonly TurnedBox[]): string {
  const lines = text.split('\n')
  const left = [...turned]
  for (const item of itemsOf(text)) {
    const next = left.findIndex((one) => one.text === item.text && one.done !== item.done)
    const [box] = next === -1 ? [] : left.splice(next, 1)
    if (box === undefined) continue
    lines[item.line] = (lines[item.line] ?? '').replace(/\[[ xX]\]/, box.done ? '[x]' : '[ ]')
  }
  return lines.join('\n')
}
