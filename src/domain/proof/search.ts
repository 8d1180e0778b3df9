/**
 * Which of the changed judge files does the work need? With all of them as they are now the gates pass, with none of them they fail.
 * The search keeps fewer and fewer until nothing can be left out: first those that the failing tests name, then halves, quarters …
 * (Zeller's delta debugging). Every trial costs a run of the gates, so it is bounded; a search that was cut short says so.
 * Files are numbers here: positions in the sorted list, kept as ranges, because the state of a run must stay small.
 */

/** From and to, both included. */
export type Range = readonly [from: number, to: number]

export interface Search {
  /** They suffice: with these kept the gates passed. */
  enough: Range[]
  /** Named by the failing tests, tried first; empty once that is done. */
  hinted: Range[]
  /** Into how many parts `enough` is cut in this round. */
  parts: number
  /** Of this round: first each part alone, then everything but each part. */
  turn: number
  /** Trials that may still be made. */
  left: number
}

export type SearchStep = { is: 'try'; keep: Range[] } | { is: 'found'; files: Range[]; exact: boolean }

/** Output that names more of them than this points at none. */
const HINTS_MAX = 50

export function beginSearch(files: number, hinted: readonly number[], trials: number): Search {
  const named = hinted.length > HINTS_MAX ? [] : rangesOf(hinted.filter((at) => at >= 0 && at < files))
  const whole: Range[] = [[0, files - 1]]
  return {
    enough: whole,
    hinted: sizeOf(named) < files ? named : [],
    parts: 2,
    turn: 0,
    left: trials,
  }
}

export function searchStep(search: Search): SearchStep {
  const { enough, hinted, left } = search
  const size = sizeOf(enough)
  if (size <= 1) return { is: 'found', files: enough, exact: true }
  if (left <= 0) return { is: 'found', files: enough, exact: false }
  if (hinted.length > 0) return { is: 'try', keep: hinted }
  const keep = trialOf(search)
  return keep === null ? { is: 'found', files: enough, exact: true } : { is: 'try', keep }
}

/** `passed`: the gates were green with only the files of the last step kept. */
export function afterTrial(search: Search, passed: boolean): Search {
  const left = search.left - 1
  if (search.hinted.length > 0) {
    const enough = passed ? search.hinted : search.enough
    return { enough, hinted: [], parts: 2, turn: 0, left }
  }
  const keep = trialOf(search)
  if (keep === null) return { ...search, left }
  if (!passed) return nextTurn({ ...search, left })
  const alone = search.turn < search.parts
  const parts = alone ? 2 : Math.max(2, search.parts - 1)
  return { enough: keep, hinted: [], parts, turn: 0, left }
}

/** With two parts, everything but the one is the other: those need no second trial. */
function turnsOf(parts: number): number {
  return parts === 2 ? 2 : parts * 2
}

/** The next turn of this round or, when none is left, a finer cut. */
function nextTurn(search: Search): Search {
  const turn = search.turn + 1
  if (turn < turnsOf(search.parts)) return { ...search, turn }
  const size = sizeOf(search.enough)
  // Past the finest cut there is no further round: `trialOf` says so.
  const parts = search.parts >= size ? size + 1 : Math.min(size, search.parts * 2)
  return { ...search, parts, turn: 0 }
}

function trialOf({ enough, parts, turn }: Search): Range[] | null {
  const files = membersOf(enough)
  if (parts > files.length) return null
  const part = turn % parts
  const from = Math.floor((part * files.length) / parts)
  const to = Math.floor(((part + 1) * files.length) / parts)
  const inside = (index: number): boolean => index >= from && index < to
  return rangesOf(files.filter((_, index) => (turn < parts ? inside(index) : !inside(index))))
}

export function rangesOf(numbers: readonly number[]): Range[] {
  const ranges: [number, number][] = []
  for (const one of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && one <= last[1] + 1) last[1] = Math.max(last[1], one)
    else ranges.push([one, one])
  }
  return ranges
}

export function membersOf(ranges: readonly Range[]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)
}
