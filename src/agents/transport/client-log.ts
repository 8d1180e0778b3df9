/**
 * Records what Ralph did for an agent, beside its output: what it allowed and denied, and the commands it ran for the agent with their
 * output. Masked and bounded like the agent's own output. The file is created with the first entry.
 */
import { openAppendStream, type AppendStream } from '../../system/files/files.ts'
import { createLineReader, type LineReader } from '../../system/line-reader.ts'
import type { Masker } from '../../system/mask/mask.ts'

/** A build prints a megabyte or two; more output says nothing more. */
const CLIENT_LOG_MAX = 10 * 1024 * 1024

export interface ClientLog {
  note: (text: string) => void
  /** For one pipe of a command: writes each of its lines with this prefix. Does not change the chunks. */
  pipe(words: string): LineReader
  close(): Promise<void>
}

export function openClientLog(path: string, mask: Masker, maxBytes = CLIENT_LOG_MAX): ClientLog {
  let file: AppendStream | null = null
  let room = maxBytes

  function put(line: string): void {
    if (room <= 0) return
    file ??= openAppendStream(path)
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
          // The mask overwrites its input, and the agent gets the output unmasked.
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
