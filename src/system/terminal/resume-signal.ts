/** A program that was stopped at the keyboard (Ctrl+Z) and goes on (`fg`). */

/** Calls back when it goes on. Returns how to stop listening. */
export function onTerminalResume(work: () => void): () => void {
  // Node's own reader of lines hears the same signal, and leaves the keyboard paused for whoever called it.
  const continued = (): void => void setImmediate(work)
  process.on('SIGCONT', continued)
  return () => void process.off('SIGCONT', continued)
}

let kept = false

/** Has a question that was stopped hear its keys again; unheard, not even Ctrl+C would reach it. */
export function restoreKeyInput(): void {
  if (kept) return
  kept = true
  const { stdin } = process
  onTerminalResume(() => {
    // Only questions and the dashboard take keys one by one: without them the keyboard is the shell's.
    if (!stdin.isTTY || !stdin.isRaw) return
    // The shell has had the terminal meanwhile, and Node believes that it is as it left it.
    stdin.setRawMode(false)
    stdin.setRawMode(true)
    stdin.resume()
  })
}
