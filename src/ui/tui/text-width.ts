/**
 * Computes how many cells a text takes in a terminal. Terminals disagree about joined emoji, so joiners and modifiers are removed
 * from a text before it is shown (`printable`); the rest has the same width everywhere.
 */
import { cellWidth, truncateToCells } from '../../core/text/cell-width.ts'
import { stripControl } from '../../core/text/sanitize.ts'

export { cellWidth, truncateToCells }

const TAB = '  '

/** Makes foreign text safe for one line of the screen: no escape sequences, no control characters, no characters of unclear width. */
export function toPrintable(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  // Joiners, variation selectors, skin tones, tags and other marks without a glyph of their own.
  const unstable = /[\p{Cf}\p{Variation_Selector}\p{Emoji_Modifier}\u2028\u2029]/gu
  return stripControl(text).replaceAll('\t', TAB).replaceAll('\n', ' ').replace(unstable, '')
}

/** Wraps to at most `width` cells, between words where possible. A wide character is never split. */
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
