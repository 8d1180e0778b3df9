/** The new lines of a text: those that occur more often than in the old text. Moved lines count as old. */
import type { LineRange } from './split-source-text.ts'

export function addedLineRanges(before: string | null, after: string): LineRange[] {
  const known = new Map<string, number>()
  for (const line of (before ?? '').split('\n')) {
    const key = line.trim()
    known.set(key, (known.get(key) ?? 0) + 1)
  }
  const ranges: LineRange[] = []
  for (const [index, line] of after.split('\n').entries()) {
    const key = line.trim()
    const left = known.get(key) ?? 0
    if (left > 0) {
      known.set(key, left - 1)
      continue
    }
    const at = index + 1
    const last = ranges.at(-1)
    if (last !== undefined && last.to === index) last.to = at
    else ranges.push({ from: at, to: at })
  }
  return ranges
}
