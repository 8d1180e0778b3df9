/**
 * How many cells a text takes in a terminal. Terminals disagree about joined emoji, so what joins and colours them is taken
 * out of a text before it is shown (`shown`); what is left has one width everywhere.
 */
import { cellWidth, truncateToCells } from '../../core/text/cell-width.ts'
import { stripControl } from '../../core/text/sanitize.ts'

export { cellWidth, truncateToCells }

const TAB = '  '

/** Foreign text as it may go on the screen, on one line: no escape sequence, no control character, no width in doubt. */
export function printable(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  // Joiners, variation selectors, skin tones, tags and other marks without a picture of their own.
  const unstable = /[\p{Cf}\p{Variation_Selector}\p{Emoji_Modifier}\u2028\u2029]/gu
  return stripControl(text).replaceAll('\t', TAB).replaceAll('\n', ' ').replace(unstable, '')
}

/** Lines of at most `width` cells, broken between words where there are any. A wide character is never cut in two. */
export function wrapText(text: string, width: number): string[] {
  if (cellWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(/(?<= )/)) {
    if (used + cellWidth(word.trimEnd()) <= width) {
      line += word
      used += cellWidth(word)
      continue
    }
    if (line !== '') lines.push(line.trimEnd())
    line = word
    while (cellWidth(line.trimEnd()) > width) {
      const first = truncateToCells(line, width) || truncateToCells(line, 2)
      lines.push(first)
      line = line.slice(first.length)
    }
    used = cellWidth(line)
  }
  if (line.trimEnd() !== '') lines.push(line.trimEnd())
  return lines
}
