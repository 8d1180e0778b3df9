/** Columns that line up, and bars of text. */
import type { Paint } from './paint.ts'

export interface Column<T> {
  title: string
  text(row: T): string
  /** Numbers stand to the right. */
  right?: true
}

export function table<T>(rows: readonly T[], columns: readonly Column<T>[], p: Paint): string[] {
  const cells = rows.map((row) => columns.map((column) => column.text(row)))
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => Array.from(line[index] ?? '').length)),
  )
  const lay = (line: readonly string[]): string =>
    line
      .map((text, index) => {
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - Array.from(text).length))
        return columns[index]?.right === true ? `${gap}${text}` : `${text}${gap}`
      })
      .join('  ')
      .trimEnd()
  return [p.dim(lay(columns.map(({ title }) => title))), ...cells.map(lay)]
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** `share` of `width` cells, to an eighth of one; something that is not nothing is always seen. */
export function bar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const eighths = share > 0 ? Math.max(1, parts) : 0
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8] ?? ''}`
}
