/**
 * Prints a run while it runs: complete lines, the agent's own text, and on a terminal one live line below them. In a pipe every line
 * begins with a word that names its kind. While Ralph asks a question, all output is held back.
 */
import { stripControl } from '../../core/text/sanitize.ts'
import type { Io } from '../cli/framework/io.ts'
import { truncateToOneLine } from '../tui/screen-line.ts'
import type { Paint } from './colours.ts'
import { createStreamWrap } from './stream-wrap.ts'

export interface LineWriter {
  /** Prints lines of one kind. */
  show(is: string, text: string): void
  /** Prints a line for the program that reads the pipe, unchanged. */
  command(line: string): void
  /** Refreshes the live line; null: removes it. */
  live(line: string | null): void
  /** Prints the agent's own text: on a terminal as it arrives, in a pipe in complete lines. */
  say(text: string): void
  /** Ends the agent's current line. */
  endMessage(): void
  /** Clears the live line and holds back all output. Returns the function that prints it. */
  suspendOutput(): () => void
}

/** The longest prefix and a space. */
const PREFIX = 11
const LINE_MAX = 10_000
/** Only the end of held-back output is kept: an answer may take hours. */
const HELD_MAX = 100_000

/** `neutralizeWorkflowCommands`: breaks what the program that reads the pipe would run as a command. */
export function openLineWriter(
  io: Io,
  { p, neutralizeCommands }: { p: Paint; neutralizeCommands: (text: string) => string },
): LineWriter {
  let shown = false
  let hushed = 0
  let held = ''
  /** The agent's text since its last complete line. */
  let unfinished = ''
  const wrap = createStreamWrap()

  function out(text: string): void {
    if (hushed > 0) held = `${held}${text}`.slice(-HELD_MAX)
    else io.out(text)
  }

  function clearLive(): void {
    if (shown) io.out('\r\u001b[2K')
    shown = false
  }

  /** Ralph's own lines begin at the left edge, even if the agent is in the middle of one. */
  const endLine = (): void => out(neutralizeCommands(wrap.endLine(io.columns())))

  function show(is: string, text: string): void {
    clearLive()
    endLine()
    if (io.terminal) return out(`${neutralizeCommands(text)}\n`)
    for (const line of text.split('\n'))
      if (line.trim() !== '') out(`${neutralizeCommands(`${is.padEnd(PREFIX)}${line.trim()}`)}\n`)
  }

  return {
    show,
    command: (line) => out(`${line}\n`),
    live(line) {
      if (line === null || hushed > 0) return clearLive()
      if (!io.terminal) return show('live', line)
      clearLive()
      io.out(p.dim(truncateToOneLine(line, io.columns() - 1)))
      shown = true
    },
    say(text) {
      const clean = stripControl(text)
      if (io.terminal) {
        clearLive()
        return out(neutralizeCommands(wrap.take(clean, io.columns())))
      }
      const lines = `${unfinished}${clean}`.split('\n')
      unfinished = (lines.pop() ?? '').slice(-LINE_MAX)
      for (const line of lines) show('agent', line)
    },
    endMessage() {
      endLine()
      if (unfinished !== '') show('agent', unfinished)
      unfinished = ''
    },
    suspendOutput() {
      clearLive()
      if (hushed === 0) endLine()
      hushed += 1
      return () => {
        hushed -= 1
        if (hushed > 0) return
        io.out(held)
        held = ''
      }
    },
  }
}
