/**
 * Finds any of many texts in one pass over the bytes, after Wu and Manber: a table of byte pairs says how far away the next text is at
 * least, so most bytes are never read, however many texts there are.
 */

export interface MultiSearch {
  /** Every occurrence, overlapping ones too, in no order. */
  each(bytes: Buffer, found: Found): void
}

type Found = (at: number, text: Buffer) => void

export function createMultiSearch(texts: readonly Buffer[]): MultiSearch {
  // One byte is no pair. Such short secrets are unlikely and are searched for one by one.
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

/** A shift is stored in one byte. */
const REACH_MAX = 255

function pairSearch(texts: readonly Buffer[]): MultiSearch['each'] {
  /** How much of each text the table covers. */
  const reach = Math.min(REACH_MAX, ...texts.map((text) => text.length))
  /** By two bytes: how far to move on; 0: a text may be here with its pair at `reach`. */
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

  function lookAt(bytes: Buffer, at: number, found: Found): void {
    const begin = at - reach + 1
    for (const text of here.get(bytes.readUInt16BE(at - 1)) ?? [])
      if (bytes[begin] === text[0] && standsAt(bytes, begin, text)) found(begin, text)
  }

  // The indexes are always valid, and the assertions tell the compiler so: checking costs a third of the speed.
  function goOn(bytes: Buffer, { from, end }: { from: number; end: number }, found: Found): void {
    for (let at = from; at < end;) {
      const shift = shifts[((bytes[at - 1] as number) << 8) | (bytes[at] as number)] as number
      if (shift === 0) lookAt(bytes, at, found)
      at += shift || 1
    }
  }

  return (bytes, found) => {
    const end = bytes.length
    const middle = Math.min(end, reach + (end >> 1))
    let first = reach - 1
    let second = middle
    // Both halves at once: the next position is known only after the table look-up, and while one half waits for it, the other continues.
    // That takes half the time.
    while (first < middle && second < end) {
      const shift = shifts[((bytes[first - 1] as number) << 8) | (bytes[first] as number)] as number
      const other = shifts[((bytes[second - 1] as number) << 8) | (bytes[second] as number)] as number
      if (shift === 0) lookAt(bytes, first, found)
      if (other === 0) lookAt(bytes, second, found)
      first += shift || 1
      second += other || 1
    }
    goOn(bytes, { from: first, end: middle }, found)
    goOn(bytes, { from: second, end }, found)
  }
}

function standsAt(bytes: Buffer, begin: number, text: Buffer): boolean {
  const end = begin + text.length
  return end <= bytes.length && bytes.compare(text, 0, text.length, begin, end) === 0
}
