/** The terminal or the pipes that a command was started on. */
import { EXIT } from '../../core/error.ts'
import { escapeBidi } from '../../core/text/sanitize.ts'
import type { DirectOutput } from './direct-output.ts'

/** What a command says, and to whom. A reader that went away (`| head -1`, a closed terminal) is no error: what is left is not written. A
 *  file that takes no more is one: whoever reads it later would take half an answer for the whole.
 *  `plain`: what is said goes there, and the stream of Node is not opened. */
export function standardStreams({ plain = null }: { plain?: DirectOutput | null } = {}) {
  const terminal = plain === null && process.stdout.isTTY === true
  const streams = new Set<NodeJS.WriteStream>()
  const guarded = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
    if (!streams.has(stream)) streams.add(stream.on('error', (error) => lost(stream, error)))
    return stream
  }
  return {
    out: (text: string): void => {
      const left = streams.size === 0 && plain !== null ? plain(text) : text
      if (left !== null) write(guarded(process.stdout), left)
    },
    err: (text: string): void => write(guarded(process.stderr), text),
    /** No stream was opened: what was said has arrived. */
    isSaid: (): boolean => streams.size === 0,
    terminal: terminal && process.env['TERM'] !== 'dumb',
    // Looked at when somebody is to be asked: opening it costs a start as much as reading all settings.
    get asks(): boolean {
      return terminal && process.stdin.isTTY === true
    },
    colour: wantsColour(terminal),
    columns: () => (plain === null ? (process.stdout.columns ?? 80) : 80),
    // Each look into the real one asks the system; whoever is in a hurry looks into a copy.
    env: plain === null ? process.env : { ...process.env },
    cwd: process.cwd(),
  }
}

/** Whatever reaches a terminal reorders nothing there; a pipe gets what it asked for (a patch, JSON). */
function write(stream: NodeJS.WriteStream, text: string | Buffer): void {
  if (stream.writable) stream.write(stream.isTTY && typeof text === 'string' ? escapeBidi(text) : text)
}

/** How a descriptor says that nobody reads any more. */
const GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

function lost(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (stream !== process.stdout || GONE.has(error.code)) return
  process.once('exit', () => {
    if (process.exitCode === undefined || process.exitCode === EXIT.done) process.exitCode = EXIT.store
  })
  // Where errors go may be full as well: then the exit code is all that is left to say it.
  process.stderr.on('error', () => {})
  process.stderr.write(`ralph: not all of the answer could be written: ${error.message}\n`)
}

function wantsColour(terminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true
  return terminal && TERM !== 'dumb'
}

/** How high the screen is. */
export function terminalRows(): number {
  return process.stdout.rows ?? 24
}
