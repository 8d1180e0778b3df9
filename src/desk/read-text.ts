/** A text that somebody hands over: a file, or `-` for what comes in on the pipe. */
import { messageOf, RalphError } from '../domain/error.ts'
import { readBytes } from '../system/files/files.ts'
import { utf8Of } from '../system/files/utf8.ts'
import { standardInput } from '../system/terminal/standard-input.ts'

/** More than `max` bytes are refused before they are all read; absent: as many as there are. */
export async function textFrom(file: string, { max }: { max?: number } = {}): Promise<string> {
  const bytes = file === '-' ? standardInput() : readBytes(file)
  const read = await utf8Of(max === undefined ? bytes : atMost(bytes, { max, file })).catch(
    (error: unknown) => {
      if (error instanceof RalphError) throw error
      throw new RalphError('bad-file', messageOf(error), { cause: error })
    },
  )
  if ('text' in read) return read.text
  throw new RalphError('usage', `line ${read.badLine}: it is not in UTF-8`, {
    hint: 'Nothing was added. Save it in that encoding and try again.',
    more: { lines: [], facts: { line: read.badLine } },
  })
}

async function* atMost(
  bytes: AsyncIterable<Buffer>,
  { max, file }: { max: number; file: string },
): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of bytes) {
    read += chunk.length
    if (read > max)
      throw new RalphError('usage', `${file === '-' ? 'what came in' : file} is longer than ${max} bytes`, {
        hint: 'Nothing was added. Shorten it, or divide it.',
      })
    yield chunk
  }
}
