/** The terminal or the pipes that a command was started on. */
import { EXIT } from '../../core/error.ts'
import { escapeBidi } from '../../core/text/sanitize.ts'
import type { DirectOutput } from './direct-output.ts'

/** A command's input and output. A reader that goes away (`| head -1`, a closed terminal) is no error: the rest is not written. A file
 *  that cannot be written is one: a later reader would take half an answer for all of it. `plain`: output goes there, and Node's stream
 *  is not opened. */
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
    /** No stream was opened: all output has arrived. */
    isSaid: (): boolean => streams.size === 0,
    terminal: terminal && process.env['TERM'] !== 'dumb',
    // Evaluated only before a question: opening stdin takes as long as reading all settings.
    get asks(): boolean {
      return terminal && process.stdin.isTTY === true
    },
    colour: wantsColour(terminal),
    columns: () => (plain === null ? (process.stdout.columns ?? 80) : 80),
    // Each access to the real one is a system call; short commands use a copy.
    env: plain === null ? process.env : { ...process.env },
    cwd: process.cwd(),
  }
}

/** Escapes text that would reorder a terminal line; a pipe gets the exact bytes (a patch, JSON). */
function write(stream: NodeJS.WriteStream, text: string | Buffer): void {
  if (stream.writable) stream.write(stream.isTTY && typeof text === 'string' ? escapeBidi(text) : text)
}

/** The error codes of a descriptor whose reader has gone. */
const GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

function lost(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (stream !== process.stdout || GONE.has(error.code)) return
  process.once('exit', () => {
    if (process.exitCode === undefined || process.exitCode === EXIT.done) process.exitCode = EXIT.store
  })
  // stderr may be full as well: then only the exit code reports it.
  process.stderr.on('error', () => {})
  process.stderr.write(`ralph: could not write all of the output: ${error.message}\n`)
}

function wantsColour(terminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true
  return terminal && TERM !== 'dumb'
}

/** The height of the terminal. */
export function terminalRows(): number {
  return process.stdout.rows ?? 24
}
