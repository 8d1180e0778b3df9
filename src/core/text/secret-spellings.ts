/** How a known secret may appear in a stream: unchanged, escaped in JSON, or encoded in a URL. */

import { unicodeEscape } from './sanitize.ts'

/** Shorter values appear in many texts by chance. */
const VALUE_MIN = 8
/** A part of a longer value is a secret by itself only if it is long. */
const PART_MIN = 16
/** From this length on, a value of plain words counts as a secret. */
const PHRASE_MIN = 20

/**
 * Every spelling to search for. `places` are texts that must stay readable (the project's path, the user's home and name): a value that
 * is part of one is not a secret. No spelling contains a line end: for a value of several lines, and for JSON, the dense parts are
 * searched for.
 */
export function secretSpellingsOf(values: readonly string[], { places }: { places: readonly string[] }): string[] {
  const known = (text: string) => places.some((place) => place.includes(text))
  const whole = values.flatMap(partsOf).filter((text) => !known(text))
  return [...new Set(whole.flatMap((text) => [text, ...inJson(text), ...inUrl(text)]))]
}

function partsOf(value: string): string[] {
  const text = value.trim()
  if (!/[\r\n]/.test(text) && !/^[{[]/.test(text)) return isTelling(text) ? [withoutEnd(text)] : []
  return text.split(/\\[nrt]|[\s"'\\,;:{}[\]]+/).filter((part) => part.length >= PART_MIN && isTelling(part))
}

/** `postgres`, `changeme` and `/home/ada/key.json` appear in texts without being secrets. */
function isTelling(text: string): boolean {
  if (text.length < VALUE_MIN || /^[~.]{0,2}\//.test(text)) return false
  const mixed = (/[A-Za-z]/.test(text) && /\d/.test(text)) || (/[a-z]/.test(text) && /[A-Z]/.test(text))
  return mixed || text.length >= PHRASE_MIN
}

/** A backslash at the end would be half of an escape. */
function withoutEnd(text: string): string {
  return text.replace(/\\+$/, '')
}

/** As JavaScript escapes it, once and twice; Go also escapes HTML characters, Python everything but ASCII, PHP slashes. */
function inJson(text: string): string[] {
  const plain = escaped(text)
  const ascii = asEscapes(plain, /[^ -~]/g)
  const both = [plain, ascii]
  return [
    plain,
    escaped(plain),
    ascii,
    ...both.map((one) => asEscapes(one, /[&<>]/g)),
    ...both.map((one) => one.replaceAll('/', '\\/')),
  ]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function asEscapes(text: string, signs: RegExp): string {
  return text.replace(signs, unicodeEscape)
}

/** As JavaScript encodes it, as strict encoders do (every reserved character), and as a form does. A lone surrogate cannot be encoded. */
function inUrl(text: string): string[] {
  if (/\p{Cs}/u.test(text)) return []
  const plain = encodeURIComponent(text)
  const strict = plain.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return [plain, strict].flatMap((one) => [one, one.replaceAll('%20', '+')])
}
