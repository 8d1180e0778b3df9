/** Decodes text that other programs wrote, possibly in another encoding. */
import { isUtf8 } from 'node:buffer'

/** Plain decoding would silently put replacement characters where bytes are invalid. */
export async function decodeUtf8(pieces: AsyncIterable<Buffer>): Promise<{ text: string } | { badLine: number }> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  const bytes = Buffer.concat(all)
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { badLine: firstInvalidLine(bytes) }
}

const LINE_FEED = 10

/** No byte of a multi-byte character is a line feed, so each line can be checked on its own. */
export function firstInvalidLine(bytes: Buffer): number {
  let line = 1
  for (let from = 0; ; line++) {
    const end = bytes.indexOf(LINE_FEED, from)
    if (end === -1 || !isText(bytes.subarray(from, end))) return line
    from = end + 1
  }
}

/** Text contains no zero byte. */
function isText(line: Buffer): boolean {
  return !line.includes(0) && isUtf8(line)
}
