/** Text from bytes that somebody else wrote, and that may be in another encoding than ours. */
import { isUtf8 } from 'node:buffer'

/** Decoding by itself would put question marks where it cannot read, and nobody would hear of it. */
export async function decodeUtf8(pieces: AsyncIterable<Buffer>): Promise<{ text: string } | { badLine: number }> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  const bytes = Buffer.concat(all)
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { badLine: firstInvalidLine(bytes) }
}

const LINE_FEED = 10

/** No byte of a longer character is a line feed, so every line can be looked at by itself. */
export function firstInvalidLine(bytes: Buffer): number {
  let line = 1
  for (let from = 0; ; line++) {
    const end = bytes.indexOf(LINE_FEED, from)
    if (end === -1 || !isText(bytes.subarray(from, end))) return line
    from = end + 1
  }
}

/** A zero stands in no text. */
function isText(line: Buffer): boolean {
  return !line.includes(0) && isUtf8(line)
}
