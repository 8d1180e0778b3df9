/**
 * Which of the changed protected files does the work need? With all of them as they are now the gates pass, with none of them they fail.
 * First those that the failing tests name are tried. Then by halving: the shortest beginning of the list with which the gates pass ends
 * with a file that is needed; it is kept from then on, and what stands before it is searched in the same way until the kept ones suffice.
 * So each needed file costs about as many trials as the list has halves, and those that may change, which come first, are preferred.
 * Every trial is a run of the gates, so it is bounded; a search that was cut short says so.
 * Files are numbers here: positions in the sorted list, kept as ranges, because the state of a run must stay small.
 */

/** From and to, both included. */
export type Range = readonly [from: number, to: number]

export interface ChangeSearch {
  /** They suffice: with these kept the gates passed. */
  enough: Range[]
  /** Of them those that are known to be needed; absent: none. */
  sure?: Range[]
  /** With the sure ones and so many of the others kept the gates failed; null: the sure ones alone were not tried yet; absent: none. */
  failed?: number | null
  /** Named by the failing tests, tried first; empty once that is done. */
  hintedFiles: Range[]
  /** Trials that may still be made. */
  left: number
}

export type SearchStep = { is: 'try'; keep: Range[] } | { is: 'found'; files: Range[]; exact: boolean }

/** Output that names more of them than this points at none. */
const HINTS_MAX = 50

export function beginSearch(files: number, hintedFiles: readonly number[], trials: number): ChangeSearch {
  const named = hintedFiles.length > HINTS_MAX ? [] : toRanges(hintedFiles.filter((at) => at >= 0 && at < files))
  return { enough: [[0, files - 1]], hintedFiles: sizeOf(named) < files ? named : [], left: trials }
}

export function nextSearchStep(search: ChangeSearch): SearchStep {
  const { enough, hintedFiles, left } = confirmNeededFile(search)
  const keep = hintedFiles.length > 0 ? hintedFiles : changesToTry(confirmNeededFile(search))
  if (keep === null) return { is: 'found', files: enough, exact: true }
  return left <= 0 ? { is: 'found', files: enough, exact: false } : { is: 'try', keep }
}

/** `passed`: the gates were green with only the files of the last step kept. */
export function searchAfterTrial(tried: ChangeSearch, passed: boolean): ChangeSearch {
  const before = confirmNeededFile(tried)
  const search = { ...before, left: before.left - 1 }
  const { hintedFiles } = search
  if (hintedFiles.length > 0) return { ...search, hintedFiles: [], ...(passed ? { enough: hintedFiles } : {}) }
  const keep = changesToTry(before)
  if (keep === null) return search
  if (isLastChance(before)) return passed ? { ...search, enough: keep, failed: null } : search
  return passed ? { ...search, enough: keep } : { ...search, failed: middleOf(search) }
}

/** A file that alone makes the difference between red and green is needed. */
function confirmNeededFile(search: ChangeSearch): ChangeSearch {
  const others = othersIn(search)
  const { failed = 0, sure = [] } = search
  const last = others.at(-1)
  if (search.hintedFiles.length > 0 || last === undefined || failed !== others.length - 1) return search
  return { ...search, sure: toRanges([...rangeMembers(sure), last]), failed: null }
}

/** Null: only the needed ones are left. */
function changesToTry(search: ChangeSearch): Range[] | null {
  const others = othersIn(search)
  if (others.length === 0) return null
  const some = isLastChance(search) ? others.slice(search.failed ?? 0) : others.slice(0, middleOf(search))
  return toRanges([...rangeMembers(search.sure ?? []), ...some])
}

/** With one trial left, the beginning that does not suffice is left out: often none of it is needed. */
function isLastChance({ left, failed = 0 }: ChangeSearch): boolean {
  return left === 1 && failed !== null && failed > 0
}

/** How many of the others the next trial keeps: none if it is not known whether the needed ones suffice, else half of the open ones. */
function middleOf(search: ChangeSearch): number {
  const { failed = 0 } = search
  return failed === null ? 0 : Math.floor((failed + othersIn(search).length) / 2)
}

function othersIn({ enough, sure = [] }: ChangeSearch): number[] {
  const known = new Set(rangeMembers(sure))
  return rangeMembers(enough).filter((one) => !known.has(one))
}

export function toRanges(numbers: readonly number[]): Range[] {
  const ranges: [number, number][] = []
  for (const one of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && one <= last[1] + 1) last[1] = Math.max(last[1], one)
    else ranges.push([one, one])
  }
  return ranges
}

export function rangeMembers(ranges: readonly Range[]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)
}
