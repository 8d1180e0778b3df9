/** The signals by which a person or the machine asks Ralph itself to stop. */
import type { Millis } from '../core/ids.ts'
import { type Clock, systemClock } from './clock.ts'

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The terminal sends Ctrl+C to the whole foreground group, and npm and npx forward it once more. Two signals within this time are one
 *  key press; a person's second Ctrl+C, which forces the end, is never that fast. */
const ECHO_MS: Millis = 40

/** `count`: how many stop signals have come so far, of any kind. Returns a function that stops listening. */
export function onStopSignals(
  handler: (signal: StopSignal, count: number) => void,
  clock: Pick<Clock, 'up'> = systemClock(),
): () => void {
  let count = 0
  let last: { signal: StopSignal; up: number } | null = null

  const hear = (signal: StopSignal) => {
    const up = clock.up()
    if (last !== null && last.signal === signal && up - last.up < ECHO_MS) return
    last = { signal, up }
    count += 1
    handler(signal, count)
  }

  for (const signal of SIGNALS) process.on(signal, hear)
  return () => {
    for (const signal of SIGNALS) process.off(signal, hear)
  }
}

/** Acts as if Ctrl+C was pressed: in raw mode it is only a key. */
export function interruptSelf(): void {
  process.kill(process.pid, 'SIGINT')
}

/** Ends the program at once, on a second request. */
export function exitNow(code: number): never {
  process.exit(code)
}

const leaving = new Set<() => void>()

/** Registers clean-up for the end of the process. Returns a function that unregisters it, for clean-up that is already done. */
export function runAtExit(work: () => void): () => void {
  if (leaving.size === 0) process.on('exit', leave)
  leaving.add(work)
  return () => {
    leaving.delete(work)
    if (leaving.size === 0) process.off('exit', leave)
  }
}

/** The process is ending: failures no longer matter. */
function leave(): void {
  for (const work of leaving) {
    try {
      work()
    } catch {
      // If the disk is gone, nothing can be removed.
    }
  }
}
