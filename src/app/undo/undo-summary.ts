/** Describes for a person what an undo does to control files: checkboxes by their text, other lines by their number. */
import { toggledCheckboxes } from '../../core/plan/merge-plan.ts'
import type { ControlChange } from '../../workspace/undo/plan-revert.ts'

export interface ToggledCheckboxes {
  /** Ticked now, open after the undo. */
  opened: string[]
  /** Open now, ticked after the undo. */
  ticked: string[]
}

export interface LineChange {
  path: string
  added: number
  removed: number
}

export function controlFileSummary(
  changes: ControlChange[],
  plan: string | null,
): { checkboxes: ToggledCheckboxes; lines: LineChange[] } {
  const checkboxes: ToggledCheckboxes = { opened: [], ticked: [] }
  const lines: LineChange[] = []
  for (const { path, now, goal } of changes) {
    const turned = path === plan ? toggledCheckboxes(now ?? '', goal ?? '') : []
    for (const { text, done } of turned) (done ? checkboxes.ticked : checkboxes.opened).push(text)
    const [added, removed] = [linesOnlyIn(goal ?? '', now ?? ''), linesOnlyIn(now ?? '', goal ?? '')]
    const rest = { path, added: added - turned.length, removed: removed - turned.length }
    if (rest.added > 0 || rest.removed > 0) lines.push(rest)
  }
  return { checkboxes, lines }
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
