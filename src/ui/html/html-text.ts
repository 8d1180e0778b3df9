/** Text in HTML: escaped, and with every invisible character written as its code. */
import { escapeInvisible, utf8Length } from '../../core/text/sanitize.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return escapeInvisible(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}

/** The same for the beginning of a long text, in at most `max` bytes of HTML; a cut shows as `…`. */
export function escapeHtmlWithin(text: string, max: number): string {
  const whole = escapeHtml(text.slice(0, max))
  if (text.length <= max && utf8Length(whole) <= max) return whole
  let shown = ''
  let room = max - utf8Length('…')
  for (const sign of text) {
    const escaped = escapeHtml(sign)
    room -= utf8Length(escaped)
    if (room < 0) break
    shown += escaped
  }
  return `${shown}…`
}
