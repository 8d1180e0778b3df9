/** Detects that the program continues (`fg`) after it was stopped at the keyboard (Ctrl+Z). */

/** Calls back when the program continues. Returns a function that stops listening. */
export function onTerminalResume(work: () => void): () => void {
  // Node's own line reader handles the same signal and leaves the keyboard paused.
  const continued = (): void => void setImmediate(work)
  process.on('SIGCONT', continued)
  return () => void process.off('SIGCONT', continued)
}

let kept = false

/** Lets a question that was stopped receive keys again; otherwise not even Ctrl+C would reach it. */
export function restoreKeyInputOnResume(): void {
  if (kept) return
  kept = true
  const { stdin } = process
  onTerminalResume(() => {
    // Only questions and the dashboard read single keys: without them the keyboard belongs to the shell.
    if (!stdin.isTTY || !stdin.isRaw) return
    // The shell has used the terminal meanwhile, and Node assumes that its mode is unchanged.
    stdin.setRawMode(false)
    stdin.setRawMode(true)
    stdin.resume()
  })
}
