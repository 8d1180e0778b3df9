/** Aligned columns, and bars of text. */
import { cellWidth, truncateToCells, toPrintable } from '../tui/text-width.ts'
import type { Paint } from './colours.ts'

export interface Column<T> {
  title: string
  /** Without colours, so that its width can be measured. */
  text(row: T): string
  paint?(text: string, row: T): string
  /** Right-aligned, for numbers. */
  right?: true
  /** Left out if there is no room for it. */
  spare?: true
}

/** `width`: cells in all. The last column gets the rest; `spare` columns are dropped to make room for it. */
export function formatTable<T>(
  rows: readonly T[],
  all: readonly Column<T>[],
  { p, width = Infinity }: { p: Paint; width?: number },
): string[] {
  const columns = fitting(rows, all, width)
  const texts = textsOf(rows, columns)
  const widths = widthsOf(columns, texts)
  const last = columns.length - 1
  const room = Math.max(LAST_LEAST, width - before(widths))
  const lay = (line: readonly string[], row: T | null): string =>
    columns
      .map((column, index) => {
        const text = index === last ? cut(line[index] ?? '', room) : (line[index] ?? '')
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - cellWidth(text)))
        const painted = row === null ? text : (column.paint?.(text, row) ?? text)
        if (column.right === true) return `${gap}${painted}`
        return index === last ? painted : `${painted}${gap}`
      })
      .join('  ')
      .trimEnd()
  const titles = columns.map(({ title }) => title)
  return [p.dim(lay(titles, null)), ...rows.map((row, index) => lay(texts[index] ?? [], row))]
}

/** The minimum width of the last column. */
const LAST_LEAST = 16

/** Drops `spare` columns, the last one first, until the table fits. */
function fitting<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const spare = columns.findLastIndex((column) => column.spare === true)
  if (spare < 0 || before(widthsOf(columns, textsOf(rows, columns))) + LAST_LEAST <= width) return columns
  return fitting(rows, columns.toSpliced(spare, 1), width)
}

function textsOf<T>(rows: readonly T[], columns: readonly Column<T>[]): string[][] {
  return rows.map((row) => columns.map((column) => toPrintable(column.text(row))))
}

function widthsOf<T>(columns: readonly Column<T>[], texts: readonly string[][]): number[] {
  return columns.map(({ title }, index) =>
    Math.max(cellWidth(title), ...texts.map((line) => cellWidth(line[index] ?? ''))),
  )
}

/** The width left of the last column, with the gaps. */
function before(widths: readonly number[]): number {
  return widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0)
}

function cut(text: string, room: number): string {
  return cellWidth(text) <= room ? text : `${truncateToCells(text, room - 1)}…`
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** `share` of `width` cells, in eighths of a cell; a share above zero is always visible. */
export function textBar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const eighths = share > 0 ? Math.max(1, parts) : 0
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8] ?? ''}`
}
