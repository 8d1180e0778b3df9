/**
 * Represents file names that are not UTF-8 as text without loss: an invalid byte becomes half a surrogate pair, which no valid text
 * contains. Every other name is plain text.
 */

/** U+DC80 to U+DCFF, one for each byte that can be wrong. */
const FIRST = 0xdc00
const HALVES = /[\u{dc80}-\u{dcff}]/u

export function decodeFileName(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\uFFFD')) return text
  const parts: string[] = []
  for (let at = 0; at < bytes.length;) {
    const next = endOfPlain(bytes, at)
    if (next > at) {
      parts.push(bytes.toString('latin1', at, next))
      at = next
      continue
    }
    const lead = bytes[at] ?? 0
    const character = bytes.subarray(at, at + (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4))
    const read = character.toString('utf8')
    const isWhole = Buffer.from(read).equals(character)
    parts.push(isWhole ? read : String.fromCharCode(FIRST + lead))
    at += isWhole ? character.length : 1
  }
  return parts.join('')
}

/** The index of the next byte that is not ASCII. */
function endOfPlain(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at += 1
  return at
}

/** The name for system calls: the text itself, or bytes if the text would be misread. */
export function encodeFileName(name: string): string | Buffer {
  if (!HALVES.test(name)) return name
  const parts = Array.from(name, (point) => {
    const code = point.codePointAt(0) ?? 0
    return HALVES.test(point) ? Buffer.from([code - FIRST]) : Buffer.from(point)
  })
  return Buffer.concat(parts)
}

/** The name as programs show it that treat all names as UTF-8. */
export function displayFileName(name: string): string {
  return encodeFileName(name).toString('utf8')
}
