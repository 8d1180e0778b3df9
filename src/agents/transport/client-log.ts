/**
 * What we did for an agent, beside what it said: what it was allowed and denied, and the commands that we ran for it with all they printed.
 * Masked and bounded like its own output. The file is there when there is something in it.
 */
import { appendStream, type AppendStream } from '../../system/files/files.ts'
import { createLineReader, type LineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'

/** A build prints a megabyte or two; what prints more does not tell more. */
const CLIENT_LOG_MAX = 10 * 1024 * 1024

export interface ClientLog {
  note: (text: string) => void
  /** For one pipe of a command: each of its lines, with these words in front. Does not touch the chunks. */
  pipe(words: string): LineReader
  close(): Promise<void>
}

export function openClientLog({
  path,
  mask,
  maxBytes = CLIENT_LOG_MAX,
}: {
  path: string
  mask: Masker
  maxBytes?: number
}): ClientLog {
  let file: AppendStream | null = null
  let room = maxBytes

  function put(line: string): void {
    if (room <= 0) return
    file ??= appendStream(path)
    const bytes = Buffer.from(`${line}\n`)
    room -= bytes.length
    file.write(bytes)
    if (room <= 0) file.write(Buffer.from(`[ralph: cut here after ${maxBytes} bytes]\n`))
  }

  return {
    note: (text) => put(mask.text(text)),
    pipe(words) {
      const lines = createLineReader({ onLine: (line) => put(`${words} ${line}`) })
      const masked = mask.stream((bytes) => lines.push(bytes))
      return {
        push(chunk) {
          // The mask writes into what it is given, and the agent gets its own output as it is.
          if (room > 0) masked.push(Buffer.from(chunk))
        },
        end() {
          masked.end()
          lines.end()
        },
      }
    },
    async close() {
      await file?.close()
    },
  }
}
