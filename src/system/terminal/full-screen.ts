/**
 * The real terminal while a dashboard uses it: alternate screen, no cursor, raw keys. Whatever happens (a signal, a crash, a closed
 * window), its previous state is restored.
 */

export interface FullScreenTerminal {
  size(): { columns: number; rows: number }
  write(text: string): void
  /** False: it has not taken the earlier output yet; another frame would only queue up. */
  ready(): boolean
  listen(ear: TerminalListener): void
  /** Restores the terminal for good. */
  close(): void
  /** Restores it until the process continues (Ctrl+Z). */
  suspend(): void
}

export interface TerminalListener {
  input(text: string): void
  resized(): void
  /** The screen is closed, or a signal asks us to end. */
  gone(why: 'closed' | 'signal'): void
}

/** Alternate screen, hidden cursor, no wrapping, bracketed paste. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J'
const LEAVE = '\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function openFullScreen(): FullScreenTerminal {
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
      // A closed terminal has no mode to restore.
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
  // The monitor runs before Node prints the error, so that the error appears on the normal screen.
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
