/** Keeps the last bytes of a stream of any length, cut at the beginning of a character. */
import { createStreamDecoder } from './text-decoder.ts'

export interface TailBuffer {
  push(chunk: Buffer): void
  bytes(): Buffer
  /** The text so far, without an incomplete character at its end. */
  text(): string
  /** Whether the beginning was dropped. */
  cut(): boolean
}

export function createTailBuffer(maxBytes: number): TailBuffer {
  let chunks: Buffer[] = []
  let bytes = 0
  let cut = false

  /** Joins many small chunks now and then, so that the list stays short. */
  function gather(): Buffer {
    const all = chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, bytes)
    const over = all.length - maxBytes
    const kept = over > 0 ? fromCharacter(all.subarray(over)) : all
    cut ||= over > 0
    chunks = [kept]
    bytes = kept.length
    return kept
  }

  return {
    push(chunk) {
      if (chunk.length === 0) return
      // A copy: a pipe's buffer may be far larger than the piece we keep.
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes > 2 * maxBytes || chunks.length > CHUNKS_MAX) gather()
    },
    bytes: gather,
    text: () => createStreamDecoder().push(gather()),
    cut() {
      gather()
      return cut
    },
  }
}

const EMPTY = Buffer.alloc(0)
const CHUNKS_MAX = 1_000

/** Continuation bytes of a character are 10xxxxxx. */
function fromCharacter(bytes: Buffer): Buffer {
  let at = 0
  while (at < bytes.length && at < 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return bytes.subarray(at)
}
