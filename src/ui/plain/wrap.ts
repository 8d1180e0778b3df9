/** Lines that fit into the terminal: broken between words, the rest of a line standing below its beginning. */
import { cellWidth, printable, wrapText } from '../tui/text-width.ts'

/** Narrower than this a text is a column of syllables; a terminal may break its lines itself then. */
const NARROWEST = 24

/**
 * A plain text in lines of so many cells. What is broken off stands under the words of the first line: deeper than its blanks and
 * than a mark such as `✓`, so that a list stays one.
 */
export function wrapIndented(text: string, columns: number): string[] {
  const clean = printable(text)
  const lead = /^ *(?:[✓✗·▸] )?/u.exec(clean)?.[0] ?? ''
  const indent = ' '.repeat(cellWidth(lead))
  const room = Math.max(NARROWEST, columns) - indent.length
  return wrapText(clean.slice(lead.length), room).map((line, index) => `${index === 0 ? lead : indent}${line}`)
}

/** The same of a text with colours in it, which take no room: they hold over the break. */
export function wrapPainted(text: string, { columns, indent }: { columns: number; indent: number }): string[] {
  const room = Math.max(NARROWEST, columns)
  if (cellWidth(text.replace(COLOURS, '')) <= room) return [text.trimEnd()]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(/(?<= )/)) {
    const bare = word.trimEnd()
    const needs = cellWidth(bare.replace(COLOURS, ''))
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

/** The same below the words of its first line: behind its blanks, a mark and the number of an iteration. */
export function wrapOutputLine(text: string, columns: number): string[] {
  const lead = /^ *(?:[✓✗·▸!] )?(?:(?:w\w+:)?\d+ {2})?/u.exec(text.replace(COLOURS, ''))?.[0] ?? ''
  return wrapPainted(text, { columns, indent: cellWidth(lead) })
}

// oxlint-disable-next-line no-control-regex -- these are our own colours
const COLOURS = /\u001b\[\d+m/g
