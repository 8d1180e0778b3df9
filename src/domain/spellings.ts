/** How a secret that is known by its value may stand in a stream: as it is, escaped in JSON, or encoded in a URL. */

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
export function spellingsOf(values: readonly string[], { places }: { places: readonly string[] }): string[] {
  const known = (text: string) => places.some((place) => place.includes(text))
  const whole = values.flatMap(partsOf).filter((text) => !known(text))
  return [...new Set(whole.flatMap((text) => [text, escaped(text), escaped(escaped(text)), encoded(text)]))]
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

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A lone surrogate cannot be encoded; then the text itself must do. */
function encoded(text: string): string {
  return /\p{Cs}/u.test(text) ? text : encodeURIComponent(text)
}
