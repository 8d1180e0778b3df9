/**
 * Makes foreign text safe and short. An agent's text is shown in terminals and stored in the record, so it must never
 * contain an escape sequence or be longer than its space.
 */

const ESC = '\u001b'
const BEL = '\u0007'
const ST = '\u009c'

/** Strings for the terminal (OSC, DCS, APC, PM, SOS). An unterminated one ends with its line, or it would swallow the reply. */
const TERMINAL_STRING = `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BEL}${ESC}${ST}\n]*(?:${BEL}|${ESC}\\\\|${ST})?`
const CONTROL_SEQUENCE = `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`
/** Applied last; matches ESC alone, so no ESC survives. */
const SHORT_ESCAPE = `${ESC}[ -/]*[0-~]?`
const SEQUENCES = new RegExp(`${TERMINAL_STRING}|${CONTROL_SEQUENCE}|${SHORT_ESCAPE}`, 'g')

/** C0 without newline and tab; DEL and C1. */
const C0 = '\u0000-\u0008\u000b\u000c\u000e-\u001f'
const C1 = '\u007f-\u009f'
const CONTROLS = new RegExp(`[${C0}${C1}]`, 'g')
/** Characters that reorder text on the screen, so that a person reads something other than the text. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const SURROGATE = /[\ud800-\udfff]/
const LONE_SURROGATES = /[\ud800-\udfff]/gu
/** Matches most texts; for these the other, large patterns are not even compiled. */
const HARMLESS = /^[\n\t -~]*$/
/** Common visible characters: Latin, Greek and Cyrillic letters, dashes, quotes, arrows, checkboxes, Han, Hangul. */
const SEEN =
  /^[ -~\u00a1-\u00ac\u00ae-\u034e\u0350-\u0377\u03a3-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2426\u2460-\u2b73\u3001-\u303f\u3041-\u3096\u3099-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/

/** Plain text: no escape sequence, no control character but newline and tab, no hidden reordering, no lone surrogate. */
export function stripControl(text: string): string {
  if (HARMLESS.test(text)) return text
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(BIDI, unicodeEscape)
    .replace(LONE_SURROGATES, '\ufffd')
}

/** Replaces characters that reorder text with their code, as JSON writes it. */
export function escapeBidi(text: string): string {
  return text.replace(BIDI, unicodeEscape)
}

/** The code of a character as JSON writes it. */
export function unicodeEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A complete text on one line, with invisible characters replaced by their codes. For texts that a person must judge. */
export function escapeInvisible(text: string): string {
  if (SEEN.test(text)) return text
  // Controls, reordering and joining characters, spaces other than the plain one. Compiled on demand: 4 ms, and few commands need it.
  const unseen = /\p{C}|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}/gu
  return text.replace(unseen, (point) => SHORT[point] ?? `\\u{${(point.codePointAt(0) ?? 0).toString(16)}}`)
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** At most `max` characters (code points), the beginning kept; a cut shows as `…`. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  // Without surrogate pairs, code units are characters.
  if (!SURROGATE.test(text.slice(0, max))) return `${text.slice(0, max - 1)}…`
  const points: string[] = []
  for (const point of text) {
    if (points.length === max) return `${points.slice(0, max - 1).join('')}…`
    points.push(point)
  }
  return text
}

/** At most `max` characters (code points), the end kept; a cut shows as `…`. */
export function clipStart(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  // A code point has at most two units, so the end of the text is enough.
  const points = Array.from(text.slice(-2 * max))
  const whole = text.length <= 2 * max && points.length <= max
  return whole ? text : `…${points.slice(points.length - max + 1).join('')}`
}

/** The first `max` words, with the whitespace between them. */
export function firstWords(text: string, max: number): string {
  let count = 0
  for (const { index } of text.matchAll(/\S+/g)) if (count++ === max) return text.slice(0, index).trimEnd()
  return text
}

/** The beginning of a text in at most `max` bytes, cut only between `parts`. */
export function firstBytes(text: string, max: number, parts: Iterable<string> = text): string {
  let room = max
  let end = 0
  for (const part of parts) {
    room -= utf8Length(part)
    if (room < 0) break
    end += part.length
  }
  return text.slice(0, end)
}

/** Plain text on one line, at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const plain = stripControl(text)
  return clip((/\s\s|[^\S ]/.test(plain) ? plain.replace(/\s+/g, ' ') : plain).trim(), max)
}

const ASCII = /^[\0-\x7f]*$/

/** How many bytes the text takes in UTF-8. */
export function utf8Length(text: string): number {
  if (ASCII.test(text)) return text.length
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3
    // The second half of a surrogate pair: both together take four bytes.
    if (code >= 0xdc00 && code <= 0xdfff && isHigh(text.charCodeAt(at - 1))) bytes -= 2
  }
  return bytes
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** The source of a regular expression that matches exactly this text. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
