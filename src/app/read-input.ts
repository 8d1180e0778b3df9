/** Reads a text that a user passes: a file, or `-` for stdin. */
import { messageOf, RalphError } from '../core/error.ts'
import { readFileChunks } from '../system/files/files.ts'
import { mayBlockOnOpen } from '../system/files/special-files.ts'
import { decodeUtf8 } from '../system/files/decode-utf8.ts'
import { standardInput } from '../system/terminal/standard-input.ts'

/** More than `max` bytes are refused without reading all of them; absent: no limit. */
export async function readFileOrStdin(file: string, { max }: { max?: number } = {}): Promise<string> {
  const said = file === '-' ? 'standard input' : file
  if (file !== '-' && mayBlockOnOpen(file))
    throw new RalphError('usage', `${file} is not a regular file, so reading it could block forever`, {
      hint: 'Nothing was added. Save the text in a file, or pipe it in with - as the file name.',
    })
  const bytes = file === '-' ? standardInput() : readFileChunks(file)
  const read = await decodeUtf8(max === undefined ? bytes : atMost(bytes, { max, said })).catch((error: unknown) => {
    if (error instanceof RalphError) throw error
    throw new RalphError('bad-file', messageOf(error), { cause: error })
  })
  if ('text' in read) return read.text
  throw new RalphError('usage', `${said}, line ${read.badLine}: this is not valid UTF-8`, {
    hint: 'Nothing was added. Save the text as UTF-8 and try again.',
    more: { lines: [], facts: { line: read.badLine } },
  })
}

async function* atMost(
  bytes: AsyncIterable<Buffer>,
  { max, said }: { max: number; said: string },
): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of bytes) {
    read += chunk.length
    if (read > max)
      throw new RalphError('usage', `${said} is longer than ${max} bytes`, {
        hint: 'Nothing was added. Shorten it, or divide it.',
      })
    yield chunk
  }
}
