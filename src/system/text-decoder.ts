/** Bytes as text, wherever they were cut: a character that goes on in the next chunk waits for it. */
import { isAscii } from 'node:buffer'

export interface StreamDecoder {
  push(bytes: Buffer): string
  /** Half a character that never came to its end. */
  end(): string
}

export function createTextDecoder(): StreamDecoder {
  const decoder = new TextDecoder()
  /** Nothing waits in the decoder, and it has seen the beginning, where a byte order mark may stand. */
  let empty = false
  return {
    push(bytes) {
      // Most text is plain, and copied several times faster than it is decoded.
      if (empty && isAscii(bytes)) return bytes.toString('latin1')
      if (bytes.length > 0) empty = (bytes.at(-1) ?? 0) < 0x80
      return decoder.decode(bytes, { stream: true })
    },
    end: () => decoder.decode(),
  }
}
