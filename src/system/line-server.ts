/**
 * For a program that is spoken with line by line over its pipes. It reads on when what it answered was taken, so whoever asks faster than
 * they listen waits, and nothing piles up here. Ends when either pipe is closed.
 */
import { createLineReader } from './line-reader.ts'

export interface LineServerOptions {
  /** The longest line that is kept whole. */
  lineMax: number
  /** What a line is answered with; null: nothing. `cut`: only its beginning is here. */
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
  /** False: nobody reads any more. */
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
    // A pipe that broke is closed as well.
  }
  reader.end()
  await send()
}
