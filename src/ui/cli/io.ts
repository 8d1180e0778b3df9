/** The terminal as a command sees it. `main(argv, io)` takes one, so a test can hand in its own and read what was said. */
import { markBidi } from '../../domain/text/text.ts'

export interface Io {
  out(text: string): void
  err(text: string): void
  /** stdout is a terminal: one line may be refreshed, colours may be used. */
  terminal: boolean
  /** stdin is a terminal: a question may be asked. */
  asks: boolean
  colour: boolean
  columns(): number
  env: Record<string, string | undefined>
  cwd: string
}

/** How wide a line of the story may be. A pipe has lines of any length: whoever reads it looks for words in them. */
export function widthOf(io: Io): number {
  return io.terminal ? io.columns() : Number.POSITIVE_INFINITY
}

/** The real one. A reader that went away (`| head -1`, a closed terminal) is no error: what is left is not written. */
export function realIo(): Io {
  const terminal = process.stdout.isTTY === true
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return {
    out: (text) => write(process.stdout, text),
    err: (text) => write(process.stderr, text),
    terminal: terminal && process.env['TERM'] !== 'dumb',
    asks: process.stdin.isTTY === true && terminal,
    colour: wantsColour(terminal),
    columns: () => process.stdout.columns ?? 80,
    env: process.env,
    cwd: process.cwd(),
  }
}

/** Whatever reaches a terminal reorders nothing there; a pipe gets what it asked for (a patch, JSON). */
function write(stream: NodeJS.WriteStream, text: string): void {
  if (stream.writable) stream.write(stream.isTTY ? markBidi(text) : text)
}

function wantsColour(terminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true
  return terminal && TERM !== 'dumb'
}
