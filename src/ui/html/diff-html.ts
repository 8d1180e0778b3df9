/** A diff in HTML, cut at a line so that it needs at most a number of bytes. */
import { utf8Length } from '../../core/text/sanitize.ts'
import { escapeHtml, escapeHtmlWithin } from './html-text.ts'

export interface DiffHtml {
  html: string
  /** Lines are missing at its end. */
  cut: boolean
}

/** A longer line would leave no room for others. */
const LINE_BYTES = 400

export function diffHtml(diff: { text: string; cut: boolean }, maxBytes: number): DiffHtml {
  const lines = diff.text.split('\n')
  // The end of a diff that was cut is not a complete line; that of a complete one is empty.
  lines.pop()
  let html = ''
  let room = maxBytes
  let inHeader = false
  for (const line of lines) {
    inHeader = line.startsWith('diff ') || (inHeader && !line.startsWith('@@'))
    const next = lineHtml(line, inHeader)
    room -= utf8Length(next)
    if (room < 0) return { html, cut: true }
    html += next
  }
  return { html, cut: diff.cut }
}

function lineHtml(line: string, inHeader: boolean): string {
  const text =
    line.length > LINE_BYTES ? escapeHtmlWithin(line, LINE_BYTES) : line.split('\t').map(escapeHtml).join('\t')
  if (inHeader) return line.startsWith('diff ') ? `<b>${text}</b>\n` : `<i>${text}</i>\n`
  if (line.startsWith('+')) return `<ins>${text}</ins>\n`
  if (line.startsWith('-')) return `<del>${text}</del>\n`
  return line.startsWith('@@') ? `<i>${text}</i>\n` : `${text}\n`
}
