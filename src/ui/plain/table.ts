/** Columns that line up, and bars of text. */
import { cells, firstCells, shown } from '../tui/width.ts'
import type { Paint } from './paint.ts'

export interface Column<T> {
  title: string
  /** Plain: what is coloured cannot be measured. */
  text(row: T): string
  paint?(text: string, row: T): string
  /** Numbers stand to the right. */
  right?: true
}

/** `width`: the last column is cut to what is left of so many cells. */
export function table<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { p, width }: { p: Paint; width?: number },
): string[] {
  const texts = rows.map((row) => columns.map((column) => shown(column.text(row))))
  const widths = columns.map(({ title }, index) =>
    Math.max(cells(title), ...texts.map((line) => cells(line[index] ?? ''))),
  )
  const last = columns.length - 1
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0)
  const room = width === undefined ? Infinity : Math.max(LAST_LEAST, width - before)
  const lay = (line: readonly string[], row: T | null): string =>
    columns
      .map((column, index) => {
        const text = index === last ? cut(line[index] ?? '', room) : (line[index] ?? '')
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - cells(text)))
        const painted = row === null ? text : (column.paint?.(text, row) ?? text)
        if (column.right === true) return `${gap}${painted}`
        return index === last ? painted : `${painted}${gap}`
      })
      .join('  ')
      .trimEnd()
  const titles = columns.map(({ title }) => title)
  return [p.dim(lay(titles, null)), ...rows.map((row, index) => lay(texts[index] ?? [], row))]
}

/** Of a last column that is cut, this much always stays. */
const LAST_LEAST = 16

function cut(text: string, room: number): string {
  return cells(text) <= room ? text : `${firstCells(text, room - 1)}…`
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** `share` of `width` cells, to an eighth of one; something that is not nothing is always seen. */
export function bar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const eighths = share > 0 ? Math.max(1, parts) : 0
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8] ?? ''}`
}
