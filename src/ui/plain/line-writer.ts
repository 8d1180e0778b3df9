/**
 * How a run is written down as it goes: whole lines, the agent's own words, and on a terminal one line below them that is refreshed. In a pipe
 * every line begins with a word that says what it is. While somebody is asked something, all of it is held back.
 */
import { stripControl } from '../../core/text/sanitize.ts'
import type { Io } from '../cli/framework/io.ts'
import { onOneLine } from '../tui/screen-line.ts'
import type { Paint } from './colours.ts'

export interface LineWriter {
  /** Lines of one kind. */
  show(is: string, text: string): void
  /** A line for the program that reads the pipe, as it is. */
  command(line: string): void
  /** The line that is refreshed; null: none. */
  live(line: string | null): void
  /** The agent's own words: on a terminal as they come; a pipe gets whole lines. */
  say(text: string): void
  /** The agent says no more on this line. */
  endMessage(): void
  /** Clears the live line and holds all else back until it may be shown. Gives what allows it. */
  suspendOutput(): () => void
}

/** The longest prefix and a space. */
const PREFIX = 11
const LINE_MAX = 10_000
/** Of what is told while somebody is asked, the end is kept: an answer may take hours. */
const HELD_MAX = 100_000

/** `neutralizeCommands`: takes out of a line what whoever reads the pipe would obey. */
export function openLineWriter(
  io: Io,
  { p, neutralizeCommands }: { p: Paint; neutralizeCommands: (text: string) => string },
): LineWriter {
  let shown = false
  let hushed = 0
  let held = ''
  /** The agent's words stop in the middle of a line. */
  let midLine = false
  /** The agent's words since its last whole line. */
  let unfinished = ''

  function out(text: string): void {
    if (hushed > 0) held = `${held}${text}`.slice(-HELD_MAX)
    else io.out(text)
  }

  function clearLive(): void {
    if (shown) io.out('\r\u001b[2K')
    shown = false
  }

  function show(is: string, text: string): void {
    clearLive()
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
      io.out(p.dim(onOneLine(line, io.columns() - 1)))
      shown = true
    },
    say(text) {
      const clean = stripControl(text)
      if (io.terminal) {
        clearLive()
        midLine = !clean.endsWith('\n')
        return out(neutralizeCommands(clean))
      }
      const lines = `${unfinished}${clean}`.split('\n')
      unfinished = (lines.pop() ?? '').slice(-LINE_MAX)
      for (const line of lines) show('agent', line)
    },
    endMessage() {
      if (unfinished !== '') show('agent', unfinished)
      unfinished = ''
    },
    suspendOutput() {
      clearLive()
      if (midLine && hushed === 0) io.out('\n')
      midLine = false
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
