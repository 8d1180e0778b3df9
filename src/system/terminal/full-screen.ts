/**
 * The real terminal while a dashboard has it: another screen, no cursor, keys one by one. Whatever happens (a signal, a crash,
 * a closed window) it is given back as it was.
 */

export interface Terminal {
  size(): { columns: number; rows: number }
  write(text: string): void
  /** False: it has not taken in what was written before; a frame more would only queue up. */
  ready(): boolean
  listen(ear: TerminalListener): void
  /** Gives the terminal back for good. */
  close(): void
  /** Gives it back until the process is continued (Ctrl+Z). */
  suspend(): void
}

export interface TerminalListener {
  input(text: string): void
  resized(): void
  /** Nobody sees the screen any more, or somebody asked us to go. */
  gone(why: 'closed' | 'signal'): void
}

/** Another screen, hidden cursor, no wrapping at the edge, pastes told from keys. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J'
const LEAVE = '\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function openTerminal(): Terminal {
  const { stdin, stdout } = process
  let inside = false
  let ear: TerminalListener | null = null
  let full = false

  const enter = (): void => {
    inside = true
    stdin.setRawMode(true)
    stdout.write(ENTER)
  }
  const leave = (): void => {
    if (!inside) return
    inside = false
    if (stdout.writable) stdout.write(LEAVE)
    try {
      stdin.setRawMode(false)
    } catch {
      // A terminal that is gone has no mode to give back.
    }
  }
  const heard = (chunk: Buffer | string): void => ear?.input(chunk.toString())
  const resized = (): void => ear?.resized()
  const closed = (): void => ear?.gone('closed')
  const signalled = (): void => ear?.gone('signal')
  const continued = (): void => {
    enter()
    ear?.resized()
  }

  enter()
  stdin.on('data', heard)
  stdin.on('end', closed)
  stdin.on('error', closed)
  stdin.resume()
  stdout.on('resize', resized)
  stdout.on('error', closed)
  stdout.on('close', closed)
  for (const signal of SIGNALS) process.on(signal, signalled)
  // The monitor comes before Node prints the error, so that it is printed on the screen that stays.
  process.on('uncaughtExceptionMonitor', leave)
  process.on('exit', leave)

  return {
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    write(text) {
      if (!stdout.writable || !inside) return
      full = !stdout.write(text)
      if (full) stdout.once('drain', () => (full = false))
    },
    ready: () => !full,
    listen: (listener) => void (ear = listener),
    close() {
      leave()
      ear = null
      stdin.off('data', heard).off('end', closed).off('error', closed)
      stdin.pause()
      stdin.unref()
      stdout.off('resize', resized).off('error', closed).off('close', closed)
      for (const signal of SIGNALS) process.off(signal, signalled)
      process.off('uncaughtExceptionMonitor', leave).off('exit', leave).off('SIGCONT', continued)
    },
    suspend() {
      leave()
      process.once('SIGCONT', continued)
      process.kill(process.pid, 'SIGSTOP')
    },
  }
}
