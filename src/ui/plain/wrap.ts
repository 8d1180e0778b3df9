/** Wraps lines to the terminal: between words, with the rest of a line below its text. */
import { stripControl } from '../../core/text/sanitize.ts'
import { cellWidth, toPrintable, wrapText } from '../tui/text-width.ts'

/** Below this width, wrapping makes a text unreadable; the terminal may break its lines itself. */
const NARROWEST = 24

/**
 * Wraps a plain text. Further lines are indented to the text of the first one, behind its spaces and a mark such as `✓`, so that a list
 * stays readable.
 */
export function wrapIndented(text: string, columns: number): string[] {
  const clean = toPrintable(text)
  const lead = /^ *(?:[✓✗·▸–!] )?/u.exec(clean)?.[0] ?? ''
  const indent = ' '.repeat(cellWidth(lead))
  const room = Math.max(NARROWEST, columns) - indent.length
  return wrapText(clean.slice(lead.length), room).map((line, index) => `${index === 0 ? lead : indent}${line}`)
}

/** The same for every line of a text, each indented by two cells. */
export function wrapTextBlock(text: string, columns: number): string[] {
  return stripControl(text)
    .split('\n')
    .flatMap((line) => wrapIndented(`  ${line}`, columns))
}

/** The same for a text with colours, which take no room and continue after a break. */
export function wrapPainted(text: string, { columns, indent }: { columns: number; indent: number }): string[] {
  const room = Math.max(NARROWEST, columns)
  if (paintedWidth(text) <= room) return [text.trimEnd()]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of wordsOf(text)) {
    const bare = word.trimEnd()
    const needs = paintedWidth(bare)
    if (used > indent && used + needs > room) {
      lines.push(line.trimEnd())
      line = ' '.repeat(indent)
      used = indent
    }
    line += word
    used += needs + word.length - bare.length
  }
  return [...lines, line.trimEnd()]
}

/** The same, indented to the text of the first line: behind its spaces, a mark and the number of an iteration. */
export function wrapOutputLine(text: string, columns: number): string[] {
  const lead = /^ *(?:[✓✗·▸–!] )?(?:(?:w\w+:)?\d+ {2})?/u.exec(text.replace(COLOURS, ''))?.[0] ?? ''
  return wrapPainted(text, { columns, indent: cellWidth(lead) })
}

/** Each word with the space behind it. `status` prints few words, for which compiling a pattern takes longer than this loop. */
function wordsOf(text: string): string[] {
  const words = []
  for (let from = 0; from < text.length;) {
    const space = text.indexOf(' ', from)
    const to = space === -1 ? text.length : space + 1
    words.push(text.slice(from, to))
    from = to
  }
  return words
}

function paintedWidth(text: string): number {
  return cellWidth(text.includes('\u001b') ? text.replace(COLOURS, '') : text)
}

// oxlint-disable-next-line no-control-regex -- these are our own colours
const COLOURS = /\u001b\[\d+m/g
