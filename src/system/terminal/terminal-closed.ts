/** Whether the terminal that somebody is asked on is still there. */

let gone: AbortSignal | null = null

/** Aborted when the terminal is closed under a question. Then its keys cannot be given back as they were either, and whoever tries that would
 *  bring the whole run down, which goes on without a terminal (`run.on_hangup`). */
export function terminalClosedSignal(): AbortSignal {
  gone ??= watched()
  return gone
}

function watched(): AbortSignal {
  const leaving = new AbortController()
  const leave = (): void => {
    process.stdin.setRawMode = () => process.stdin
    leaving.abort()
  }
  // Before those of a question, which are added later.
  process.stdin.on('end', leave).on('error', leave)
  return leaving.signal
}
