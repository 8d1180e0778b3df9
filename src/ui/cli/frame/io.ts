/** The terminal as a command sees it. `main(argv, io)` takes one, so a test can hand in its own and read what was said. */
import { markBidi } from '../../../domain/text/text.ts'
import type { PlainOutput } from './plain-output.ts'

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

/** The real one. A reader that went away (`| head -1`, a closed terminal) is no error: what is left is not written.
 *  `plain`: what is said goes there, and the stream of Node is not opened. */
export function realIo({ plain = null }: { plain?: PlainOutput | null } = {}): Io {
  const terminal = plain === null && process.stdout.isTTY === true
  const streams = new Set<NodeJS.WriteStream>()
  const guarded = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
    if (!streams.has(stream)) streams.add(stream.on('error', () => {}))
    return stream
  }
  return {
    out: (text) => {
      const left = streams.size === 0 && plain !== null ? plain(text) : text
      if (left !== null) write(guarded(process.stdout), left)
    },
    err: (text) => write(guarded(process.stderr), text),
    terminal: terminal && process.env['TERM'] !== 'dumb',
    // Looked at when somebody is to be asked: opening it costs a start as much as reading all settings.
    get asks() {
      return terminal && process.stdin.isTTY === true
    },
    colour: wantsColour(terminal),
    columns: () => (plain === null ? (process.stdout.columns ?? 80) : 80),
    env: process.env,
    cwd: process.cwd(),
  }
}

/** Whatever reaches a terminal reorders nothing there; a pipe gets what it asked for (a patch, JSON). */
function write(stream: NodeJS.WriteStream, text: string | Buffer): void {
  if (stream.writable) stream.write(stream.isTTY && typeof text === 'string' ? markBidi(text) : text)
}

function wantsColour(terminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true
  return terminal && TERM !== 'dumb'
}
