/** Decodes a byte stream that may be cut anywhere: an incomplete character waits for the next chunk. */
import { isAscii } from 'node:buffer'

export interface StreamDecoder {
  push(bytes: Buffer): string
  /** The rest: a character that was never completed. */
  end(): string
}

export function createStreamDecoder(): StreamDecoder {
  const decoder = new TextDecoder()
  /** Whether the decoder is empty and past the beginning, where a byte order mark may be. */
  let empty = false
  return {
    push(bytes) {
      // Most text is ASCII, and copying it is several times faster than decoding.
      if (empty && isAscii(bytes)) return bytes.toString('latin1')
      if (bytes.length > 0) empty = (bytes.at(-1) ?? 0) < 0x80
      return decoder.decode(bytes, { stream: true })
    },
    end: () => decoder.decode(),
  }
}
