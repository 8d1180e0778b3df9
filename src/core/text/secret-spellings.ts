/** How a secret that is known by its value may stand in a stream: as it is, escaped in JSON, or encoded in a URL. */

import { unicodeEscape } from './sanitize.ts'

/** Shorter ones stand in every second text by chance. */
const VALUE_MIN = 8
/** A part of a longer value must be long to mean anything by itself. */
const PART_MIN = 16
/** From this length on, words alone make a secret. */
const PHRASE_MIN = 20

/**
 * Every spelling worth searching for. `places` are texts that must stay readable (the project's path, the user's home and name): what
 * is part of them is no secret. No spelling holds a line end: of a value of several lines, and of one that is JSON, the dense parts
 * are searched for.
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

/** `postgres`, `changeme` and `/home/ada/key.json` stand in texts where they are no secret. */
function isTelling(text: string): boolean {
  if (text.length < VALUE_MIN || /^[~.]{0,2}\//.test(text)) return false
  const mixed = (/[A-Za-z]/.test(text) && /\d/.test(text)) || (/[a-z]/.test(text) && /[A-Z]/.test(text))
  return mixed || text.length >= PHRASE_MIN
}

/** A backslash at its end would be half of an escape. */
function withoutEnd(text: string): string {
  return text.replace(/\\+$/, '')
}

/** As JavaScript writes it, and once more inside a text; Go escapes what HTML would read, Python all but ASCII, PHP slashes too. */
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

/** As JavaScript encodes it, as those do who leave no sign alone, and as a form does. A lone surrogate cannot be encoded. */
function inUrl(text: string): string[] {
  if (/\p{Cs}/u.test(text)) return []
  const plain = encodeURIComponent(text)
  const strict = plain.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return [plain, strict].flatMap((one) => [one, one.replaceAll('%20', '+')])
}
