/**
 * Finds any of many texts in one pass over the bytes, after Wu and Manber: a table of byte pairs tells how far the next text must be
 * away at least, so most bytes are never looked at, however many texts are searched for.
 */

export interface FindAny {
  /** Every occurrence, overlapping ones too, in the order of their ends as far as the shortest text goes. */
  each(bytes: Buffer, found: (at: number, text: Buffer) => void): void
}

export function findAny(texts: readonly Buffer[]): FindAny {
  // One byte makes no pair. Nobody's secret is one, and what there is of them is searched for plainly.
  const single = texts.filter((text) => text.length === 1)
  const paired = texts.filter((text) => text.length > 1)
  const search = paired.length === 0 ? null : pairSearch(paired)
  return {
    each(bytes, found) {
      search?.(bytes, found)
      for (const text of single)
        for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) found(at, text)
    },
  }
}

/** A shift is kept in one byte. */
const REACH_MAX = 255

function pairSearch(texts: readonly Buffer[]): FindAny['each'] {
  /** As much of each text as is looked at through the table. */
  const reach = Math.min(REACH_MAX, ...texts.map((text) => text.length))
  /** By two bytes: how far to go on; nothing: a text may stand here with its pair at `reach`. */
  const shifts = new Uint8Array(1 << 16).fill(reach - 1)
  const here = new Map<number, Buffer[]>()
  for (const text of texts) {
    for (let at = 1; at < reach; at += 1) {
      const pair = text.readUInt16BE(at - 1)
      shifts[pair] = Math.min(shifts[pair] ?? 0, reach - 1 - at)
    }
    const last = text.readUInt16BE(reach - 2)
    here.set(last, [...(here.get(last) ?? []), text])
  }
  return (bytes, found) => {
    const end = bytes.length
    // The bytes are known to be there, and the compiler is told so: asking costs a third of the speed.
    for (let at = reach - 1; at < end;) {
      const pair = ((bytes[at - 1] as number) << 8) | (bytes[at] as number)
      const shift = shifts[pair] as number
      if (shift > 0) {
        at += shift
        continue
      }
      const begin = at - reach + 1
      for (const text of here.get(pair) ?? [])
        if (bytes[begin] === text[0] && standsAt(bytes, begin, text)) found(begin, text)
      at += 1
    }
  }
}

function standsAt(bytes: Buffer, begin: number, text: Buffer): boolean {
  const end = begin + text.length
  return end <= bytes.length && bytes.compare(text, 0, text.length, begin, end) === 0
}
