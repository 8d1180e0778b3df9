/** How many cells a text takes in a terminal, and the part of it that fits into a number of cells. */

export function cellWidth(text: string): number {
  // Most text is ASCII, one cell per character. A loop, because it runs for every word and a pattern takes longer to compile.
  let plain = 0
  while (plain < text.length && isPlain(text.charCodeAt(plain))) plain += 1
  if (plain === text.length) return plain
  let sum = 0
  for (const point of text) sum += cellsOf(point)
  return sum
}

/** The beginning of a text that fits into this many cells. */
export function truncateToCells(text: string, max: number): string {
  let sum = 0
  let kept = ''
  for (const point of text) {
    sum += cellsOf(point)
    if (sum > max) break
    kept += point
  }
  return kept
}

function isPlain(code: number): boolean {
  return code >= 0x20 && code <= 0x7e
}

/** The other ranges that Ralph's own texts use: one cell each, without the large patterns below. */
const NARROW: readonly [number, number][] = [
  [0xae, 0x2ff],
  [0x2010, 0x2027],
  [0x2190, 0x2319],
  [0x2500, 0x25f8],
  [0x270c, 0x2727],
]

function cellsOf(point: string): 0 | 1 | 2 {
  const code = point.codePointAt(0) ?? 0
  if (isPlain(code) || NARROW.some(([from, to]) => code >= from && code <= to)) return 1
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]$/u.test(point)) return 0
  return isWide(code) || /^\p{Emoji_Presentation}$/u.test(point) ? 2 : 1
}

/** East Asian Width W and F, for blocks where whole ranges have it; emoji are matched by their Unicode property. */
const WIDE: readonly [number, number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]

function isWide(code: number): boolean {
  return code >= 0x1100 && WIDE.some(([from, to]) => code >= from && code <= to)
}
