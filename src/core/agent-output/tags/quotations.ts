/**
 * Finds text between quotation marks. Some languages open with the mark that others close with (»so«, «so», „so“, “so”), so any two marks
 * of a kind make a quotation: pairs within a line, or one mark in a line and one in a later line.
 */
const KINDS = ['"', '“”„‟', '«»', '「」', '『』', '《》', '〈〉', '〝〞〟', '＂'] as const
const MARKS = KINDS.map((marks) => new RegExp(`[${marks}\\n]`, 'g'))
const ANY = new RegExp(`[${KINDS.join('')}]`)

/** Returns whether a position in a paragraph is quoted. The paragraph is scanned at the first call. */
export function createQuotationMatcher(paragraph: string): (at: number) => boolean {
  let inside: Uint8Array | null = null
  return (at) => {
    inside ??= quoted(paragraph)
    return inside[at] === 1
  }
}

function quoted(paragraph: string): Uint8Array {
  if (!ANY.test(paragraph)) return new Uint8Array(0)
  const inside = new Uint8Array(paragraph.length)
  for (const marks of MARKS) for (const [from, to] of pairs(paragraph, marks)) inside.fill(1, from, to)
  return inside
}

function pairs(paragraph: string, marks: RegExp): [from: number, to: number][] {
  const found: [number, number][] = []
  let line: number[] = []
  /** The last mark of an earlier line with an odd number of marks. */
  let left: number | null = null
  const endLine = (): void => {
    const [first] = line
    if (line.length % 2 === 0) {
      for (const [i, mark] of line.entries()) if (i % 2 === 1) found.push([line[i - 1] ?? mark, mark])
    } else if (left === null) left = line.at(-1) ?? null
    else {
      found.push([left, first ?? left])
      left = null
    }
    line = []
  }
  for (const { 0: sign, index } of paragraph.matchAll(marks)) {
    if (sign === '\n') endLine()
    else line.push(index)
  }
  endLine()
  return found
}
