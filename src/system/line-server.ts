/**
 * Serves a client line by line over the standard pipes. It reads on only after its answer was taken, so a client that sends faster than
 * it reads has to wait, and nothing piles up here. Ends when either pipe closes.
 */
import { createLineReader } from './line-reader.ts'

export interface LineServerOptions {
  /** The longest line that is kept completely. */
  lineMax: number
  /** The answer to a line; null: none. `cut`: only its beginning is here. */
  answer: (line: string, info: { cut: boolean }) => string | null
}

export async function serveLines({ lineMax, answer }: LineServerOptions): Promise<void> {
  let said: string[] = []
  const reader = createLineReader({
    maxBytes: lineMax,
    onLine(line, { cut }) {
      const reply = answer(line, { cut })
      if (reply !== null) said.push(`${reply}\n`)
    },
  })
  /** False: the reader has gone. */
  async function send(): Promise<boolean> {
    if (said.length === 0) return true
    const text = said.join('')
    said = []
    return new Promise((resolve) => {
      process.stdout.write(text, (gone) => resolve(gone === null || gone === undefined))
    })
  }
  process.stdout.on('error', () => {})
  try {
    for await (const piece of process.stdin as AsyncIterable<Buffer>) {
      reader.push(piece)
      if (!(await send())) return
    }
  } catch {
    // A broken pipe counts as closed.
  }
  reader.end()
  await send()
}
