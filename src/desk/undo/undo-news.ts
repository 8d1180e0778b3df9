/** What an undo does to control files, as a person wants to read it: boxes by their text, other lines by their number. */
import { turnedBoxes } from '../../domain/plan/merge-plan.ts'
import type { ControlChange } from '../../workspace/undo/take-back.ts'

export interface TurnedBoxes {
  /** Ticked now, and open again afterwards. */
  opened: string[]
  /** Open now, and ticked again afterwards. */
  ticked: string[]
}

export interface LineChange {
  path: string
  added: number
  removed: number
}

export function controlNews(
  changes: ControlChange[],
  plan: string | null,
): { boxes: TurnedBoxes; lines: LineChange[] } {
  const boxes: TurnedBoxes = { opened: [], ticked: [] }
  const lines: LineChange[] = []
  for (const { path, now, goal } of changes) {
    const turned = path === plan ? turnedBoxes(now ?? '', goal ?? '') : []
    for (const { text, done } of turned) (done ? boxes.ticked : boxes.opened).push(text)
    const [added, removed] = [linesOnlyIn(goal ?? '', now ?? ''), linesOnlyIn(now ?? '', goal ?? '')]
    const rest = { path, added: added - turned.length, removed: removed - turned.length }
    if (rest.added > 0 || rest.removed > 0) lines.push(rest)
  }
  return { boxes, lines }
}

function linesOnlyIn(text: string, other: string): number {
  const there = new Map<string, number>()
  for (const line of linesOf(other)) there.set(line, (there.get(line) ?? 0) + 1)
  let only = 0
  for (const line of linesOf(text)) {
    const left = there.get(line) ?? 0
    if (left === 0) only += 1
    else there.set(line, left - 1)
  }
  return only
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}
