/** The parts of a chunk that are to be masked, and partial matches at its end. */

export interface MaskSpans {
  add(start: number, end: number): void
  /** How far spans that begin at or before `keep` extend beyond it. */
  beyond(keep: number): number
  /** Masks the added spans as far as they are before `keep`. */
  mask(bytes: Buffer, keep: number): void
}

const STAR = '*'.charCodeAt(0)

export function createMaskSpans(): MaskSpans {
  const spans: { start: number; end: number }[] = []
  return {
    add(start, end) {
      if (end > start) spans.push({ start, end })
    },
    beyond: (keep) => spans.reduce((most, { start, end }) => (start <= keep ? Math.max(most, end - keep) : most), 0),
    mask(bytes, keep) {
      for (const { start, end } of spans) if (start < keep) bytes.fill(STAR, start, Math.min(end, keep))
    },
  }
}

/** Where an incomplete beginning of `text` starts at the end of the bytes; the length if there is none. */
export function partialMatchAt(bytes: Buffer, text: Buffer): number {
  const from = Math.max(0, bytes.length - text.length + 1)
  const first = text[0] ?? 0
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.compare(text, 0, bytes.length - at, at) === 0) return at
  }
  return bytes.length
}
