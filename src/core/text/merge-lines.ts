/**
 * A three-way merge by lines. Finer than git's: changes of adjacent lines are merged, because in a list of checkboxes or notes every line
 * is independent. Pure.
 */

export interface ThreeWayText {
  base: string
  ours: string
  theirs: string
}

/** Null: a conflict, both changed the same lines differently. */
export function mergeThreeWay({ base, ours, theirs }: ThreeWayText): string | null {
  if (base === theirs || ours === theirs) return ours
  if (base === ours) return theirs
  const lines = splitKeepingLineEnds(base)
  const mine = diffHunks(lines, splitKeepingLineEnds(ours))
  const others = diffHunks(lines, splitKeepingLineEnds(theirs))
  if (mine === null || others === null) return null
  const merged: string[] = []
  let at = 0
  for (let m = 0, o = 0; m < mine.length || o < others.length;) {
    const [one, other] = [mine[m], others[o]]
    const both = one !== undefined && other !== undefined
    const isBoths = both && isSame(one, other)
    if (both && !isBoths && overlap(one, other)) return null
    const isTheirs = one === undefined || (both && !isBoths && comesFirst(other, one))
    const next = isTheirs ? other : one
    if (next === undefined) return null
    if (isTheirs || isBoths) o += 1
    if (!isTheirs) m += 1
    merged.push(...lines.slice(at, next.from), ...next.lines)
    at = next.to
  }
  return [...merged, ...lines.slice(at)].join('')
}

/** Replaces the lines of the base from `from` up to, not including, `to`. */
interface Hunk {
  from: number
  to: number
  lines: string[]
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('')
}

/** Both delete or replace a common line, or one inserts in the middle of lines that the other replaces. */
function overlap(a: Hunk, b: Hunk): boolean {
  return a.from < b.to && b.from < a.to
}

/** Where both insert at the same place, reverted lines come before lines written since. */
function comesFirst(other: Hunk, one: Hunk): boolean {
  return other.from !== one.from ? other.from < one.from : other.to <= one.to
}

/** Splits a text into lines with their line ends, so that joining restores it. */
export function splitKeepingLineEnds(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Enough for plans of several thousand lines; more would take too long. */
const CELLS_MAX = 25_000_000

/** The hunks that turn one into the other and keep as many lines as possible; null: the texts are too long. */
export function diffHunks(from: string[], to: string[]): Hunk[] | null {
  let start = 0
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1
  let end = 0
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end += 1
  const [a, b] = [from.slice(start, from.length - end), to.slice(start, to.length - end)]
  if (a.length * b.length > CELLS_MAX) return null
  const hunks: Hunk[] = []
  let [i, j] = [0, 0]
  for (const [x, y] of [...commonLines(a, b), [a.length, b.length] as const]) {
    // Deleted lines become one hunk each: the other side may insert between them.
    if (y === j)
      for (let line = i; line < x; line++) hunks.push({ from: start + line, to: start + line + 1, lines: [] })
    else hunks.push({ from: start + i, to: start + x, lines: b.slice(j, y) })
    i = x + 1
    j = y + 1
  }
  return hunks
}

/** The index pairs of a longest common subsequence. */
function commonLines(a: string[], b: string[]): (readonly [number, number])[] {
  const width = b.length + 1
  const length = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => length[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      length[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const pairs: (readonly [number, number])[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return pairs
}
