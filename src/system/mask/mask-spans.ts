/** Parts of a chunk that are to be masked, and what a chunk may end in. */

export interface MaskSpans {
  add(start: number, end: number): void
  /** How far spans that begin before `keep`, or there, go on after it. */
  beyond(keep: number): number
  /** Masks what was added, as far as it lies before `keep`. */
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

/** Where the bytes end in a beginning of `text` that is not all of it; their end where they do not. */
export function partialMatchAt(bytes: Buffer, text: Buffer): number {
  const from = Math.max(0, bytes.length - text.length + 1)
  const first = text[0] ?? 0
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.compare(text, 0, bytes.length - at, at) === 0) return at
  }
  return bytes.length
}
