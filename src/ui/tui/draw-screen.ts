/** Draws frames on a terminal: only the lines that changed, each at its position, without scrolling. */
import { toAnsi, lineWidth, type ScreenLine, type TerminalFeatures, type Size } from './screen-line.ts'

export interface ScreenDrawer {
  draw(lines: ScreenLine[], size: Size): void
  /** The terminal shows something else now: the next frame is drawn completely. */
  forget(): void
}

/** Terminals that know these marks show everything between them at once; others ignore them. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'

/** Not after a full line: the cursor is then still on its last character. */
const CLEAR_REST = '\u001b[K'

export function createScreenDrawer(write: (text: string) => void, looks: TerminalFeatures): ScreenDrawer {
  let shown: string[] = []
  let shownSize: Size | null = null
  return {
    draw(lines, size) {
      const fresh = shownSize?.columns !== size.columns || shownSize.rows !== size.rows
      const next = lines
        .slice(0, size.rows)
        .map((line) => `${toAnsi(line, looks)}${lineWidth(line) < size.columns ? CLEAR_REST : ''}`)
      const changed = next.flatMap((text, row) =>
        !fresh && shown[row] === text ? [] : [`\u001b[${row + 1};1H${text}`],
      )
      shown = next
      shownSize = size
      if (fresh) changed.unshift('\u001b[2J')
      if (changed.length > 0) write(`${BEGIN}${changed.join('')}${END}`)
    },
    forget() {
      shownSize = null
    },
  }
}
