/**
 * Splits a byte stream into lines with bounded memory. Only LF ends a line (Node's readline also splits at U+2028, which is legal inside
 * JSON); an endless line is counted, not stored.
 */

export interface LineInfo {
  /** The full length of the line in bytes, without its line end. */
  bytes: number
  /** The line was too long and only its beginning is here. */
  cut: boolean
}

export interface LineReaderOptions {
  /** The longest line that is kept completely; 1 MiB by default. */
  maxBytes?: number
  onLine: (line: string, info: LineInfo) => void
}

export interface LineReader {
  push: (chunk: Buffer) => void
  /** Delivers a last line that has no line end. */
  end(): void
}

const LF = 10
const CR = 13
const MAX_BYTES = 1024 * 1024

export function createLineReader({ maxBytes = MAX_BYTES, onLine }: LineReaderOptions): LineReader {
  const held = createLineBuffer(maxBytes + 1) // one more: a CR at the very end is not part of the line

  /** Most lines are inside one chunk and are decoded from there, without a copy. */
  function deliver(from: Buffer, start: number, end: number, bytes: number, last: number): void {
    const length = last === CR ? bytes - 1 : bytes
    const cut = length > maxBytes
    const stop = Math.min(end, start + Math.min(length, maxBytes))
    onLine(from.toString('utf8', start, stop), { bytes: length, cut })
  }

  function deliverHeld(): void {
    const { buffer, kept, bytes, last } = held.take()
    deliver(buffer, 0, kept, bytes, last)
  }

  return {
    push(chunk) {
      let start = 0
      let end = chunk.indexOf(LF)
      if (end !== -1 && held.bytes() > 0) {
        held.add(chunk, 0, end)
        deliverHeld()
        start = end + 1
        end = chunk.indexOf(LF, start)
      }
      while (end !== -1) {
        deliver(chunk, start, end, end - start, end > start ? (chunk[end - 1] ?? 0) : 0)
        start = end + 1
        end = chunk.indexOf(LF, start)
      }
      if (start < chunk.length) held.add(chunk, start, chunk.length)
    },
    end() {
      if (held.bytes() > 0) deliverHeld()
    },
  }
}

/** A larger buffer is freed after its line instead of being reused. */
const REUSE_BYTES = 64 * 1024

interface HeldLine {
  buffer: Buffer
  kept: number
  bytes: number
  last: number
}

/** The unfinished line: its beginning up to `capacity`, and its length so far. The bytes are copied, because a child that writes byte
 *  by byte would otherwise leave a million small buffers behind. */
export function createLineBuffer(capacity: number) {
  let buffer = Buffer.alloc(0)
  let kept = 0
  let bytes = 0
  let last = 0

  function grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(capacity, Math.max(needed, buffer.length * 2, 4096)))
    buffer.copy(larger, 0, 0, kept)
    buffer = larger
  }

  return {
    bytes: () => bytes,
    add(chunk: Buffer, start: number, end: number): void {
      if (end === start) return
      const wanted = Math.min(end - start, capacity - kept)
      if (kept + wanted > buffer.length) grow(kept + wanted)
      if (wanted > 0) chunk.copy(buffer, kept, start, start + wanted)
      kept += wanted
      bytes += end - start
      last = chunk[end - 1] ?? 0
    },
    take(): HeldLine {
      const taken = { buffer, kept, bytes, last }
      if (buffer.length > REUSE_BYTES) buffer = Buffer.alloc(0)
      kept = bytes = last = 0
      return taken
    },
  }
}
