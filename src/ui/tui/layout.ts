/**
 * Computes the layout of a screen: parts in rows or columns, each with the space it needs. First pure numbers (`divideSpace`,
 * `layOutPanes`), so that keys know the layout too; then lines (`composeLines`). A part without enough room is left out, because half a
 * pane is useless.
 */
import { clipLine, fillLine, type ScreenLine, type Size, type Span } from './screen-line.ts'

/** How much of the length a part needs, in rows or cells. */
export interface SizeNeeds {
  /** With less, the part is left out. */
  min: number
  /** With this, the part shows everything. */
  want: number
  /** Its share of the space that is left when every part has what it wants; 0: none. */
  grow: number
  /** The part with the highest number is dropped first if there is not enough room. */
  gives: number
}

/** The length of each part; 0: left out. Parts are `gap` apart. */
export function divideSpace(total: number, rooms: readonly SizeNeeds[], gap = 0): number[] {
  const kept = rooms.map(() => true)
  const left = (): number => {
    const staying = rooms.filter((_, index) => kept[index])
    return total - staying.reduce((sum, room) => sum + room.min, 0) - gap * Math.max(0, staying.length - 1)
  }
  while (left() < 0 && kept.filter(Boolean).length > 1) kept[firstToGo(rooms, kept)] = false
  const sizes = rooms.map((room, index) => (kept[index] ? Math.min(room.min, total) : 0))
  let rest = Math.max(0, left())
  rest = give(sizes, rest, (index) => (kept[index] ? (rooms[index]?.want ?? 0) - (sizes[index] ?? 0) : 0))
  // Distribute the rest by weight among parts that can grow; the first of them get the odd cells.
  const growing = rooms.map((room, index) => (kept[index] ? room.grow : 0))
  const weight = growing.reduce((sum, grow) => sum + grow, 0)
  const shares = growing.map((grow) => (weight === 0 ? 0 : Math.floor((rest * grow) / weight)))
  rest -= shares.reduce((sum, one) => sum + one, 0)
  const first = growing.findIndex((grow) => grow > 0)
  return sizes.map((size, index) => size + (shares[index] ?? 0) + (index === first ? rest : 0))
}

function firstToGo(rooms: readonly SizeNeeds[], kept: readonly boolean[]): number {
  const most = Math.max(...rooms.map((room, index) => (kept[index] ? room.gives : -Infinity)))
  return rooms.findLastIndex((room, index) => kept[index] === true && room.gives === most)
}

/** Distributes evenly, to no part more than it lacks; returns the rest. */
function give(sizes: number[], amount: number, lacks: (index: number) => number): number {
  let rest = amount
  for (;;) {
    const hungry = sizes.map((_, index) => index).filter((index) => lacks(index) > 0)
    if (hungry.length === 0 || rest === 0) return rest
    const each = Math.max(1, Math.floor(rest / hungry.length))
    for (const index of hungry) {
      const part = Math.min(each, lacks(index), rest)
      sizes[index] = (sizes[index] ?? 0) + part
      rest -= part
    }
  }
}

/** A part of the screen: one pane by its name, or parts below or beside each other. */
export type LayoutSpec<Name> = SizeNeeds &
  ({ pane: Name } | { rows: readonly LayoutSpec<Name>[] } | { columns: readonly LayoutSpec<Name>[] })

/** The same with its size; parts without room are missing. */
export type PaneLayout<Name> = { size: Size } & (
  | { is: 'pane'; pane: Name }
  | { is: 'rows' | 'columns'; parts: PaneLayout<Name>[] }
)

/** Columns are one cell apart, with a bar between them. */
const BAR = 1

export function layOutPanes<Name>(part: LayoutSpec<Name>, size: Size): PaneLayout<Name> {
  if ('pane' in part) return { is: 'pane', pane: part.pane, size }
  const is = 'rows' in part ? 'rows' : 'columns'
  const inside = 'rows' in part ? part.rows : part.columns
  const lengths = divideSpace(size[is], inside, is === 'rows' ? 0 : BAR)
  const parts = inside.flatMap((one, index) => {
    const length = lengths[index] ?? 0
    return length > 0 ? [layOutPanes(one, { ...size, [is]: length })] : []
  })
  return { is, parts, size }
}

/** The size of a pane; null: it is not on the screen. */
export function findPaneSize<Name>(laid: PaneLayout<Name>, pane: Name): Size | null {
  if (laid.is === 'pane') return laid.pane === pane ? laid.size : null
  for (const part of laid.parts) {
    const found = findPaneSize(part, pane)
    if (found !== null) return found
  }
  return null
}

/** Returns exactly as many lines as there are rows, none too wide. */
export function composeLines<Name>(
  laid: PaneLayout<Name>,
  draw: (pane: Name, size: Size) => ScreenLine[],
): ScreenLine[] {
  if (laid.is === 'pane') return fitLines(draw(laid.pane, laid.size), laid.size)
  if (laid.is === 'rows')
    return fitLines(
      laid.parts.flatMap((part) => composeLines(part, draw)),
      laid.size,
    )
  const drawn = laid.parts.map((part) => ({ width: part.size.columns, lines: composeLines(part, draw) }))
  return Array.from({ length: laid.size.rows }, (_, row) => {
    const line: ScreenLine = []
    let column = 0
    for (const [index, { width, lines }] of drawn.entries()) {
      if (index > 0) {
        line.push(barAt(column))
        column += BAR
      }
      const here = lines[row] ?? []
      // Columns within a part count from its left edge; on the screen they count from the screen's.
      const moved = here.map((span) => (span.column === undefined ? span : { ...span, column: span.column + column }))
      line.push(...(index === drawn.length - 1 ? clipLine(moved, width) : fillLine(moved, width)))
      column += width
    }
    return line
  })
}

function barAt(column: number): Span {
  return { text: '│', tone: 'dim', column }
}

export function fitLines(lines: readonly ScreenLine[], { columns, rows }: Size): ScreenLine[] {
  return Array.from({ length: rows }, (_, row) => clipLine(lines[row] ?? [], columns))
}
