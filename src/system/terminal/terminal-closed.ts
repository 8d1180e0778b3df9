/** Detects that the terminal of a question was closed. */

let gone: AbortSignal | null = null

/** Aborted when the terminal closes during a question. Its mode can no longer be restored then, and trying to would crash the whole
 *  run, which continues without a terminal (`run.on_hangup`). */
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
  // Runs before the listeners of a question, which are added later.
  process.stdin.on('end', leave).on('error', leave)
  return leaving.signal
}
