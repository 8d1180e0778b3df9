/** The signals by which a person or the machine asks Ralph itself to stop. */
import type { Millis } from '../core/ids.ts'
import { type Clock, systemClock } from './clock.ts'

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The terminal sends Ctrl+C to the whole foreground group, and npm and npx pass it on once more. What comes twice within
 *  this time was pressed once; a person's second Ctrl+C, which forces the end, is never that quick. */
const ECHO_MS: Millis = 40

/** `count` is how often Ralph was asked so far, by whichever signal. Returns how to stop listening. */
export function onSignals(
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

/** As if Ctrl+C were pressed: while keys are read one by one, it is only a key. */
export function interruptSelf(): void {
  process.kill(process.pid, 'SIGINT')
}

/** Ends the program at once: whoever asked twice does not wait. */
export function exitNow(code: number): never {
  process.exit(code)
}

const leaving = new Set<() => void>()

/** For what must not outlive the process. Gives what calls it off again: done already, it need not be done at the door. */
export function runAtExit(work: () => void): () => void {
  if (leaving.size === 0) process.on('exit', leave)
  leaving.add(work)
  return () => {
    leaving.delete(work)
    if (leaving.size === 0) process.off('exit', leave)
  }
}

/** It is at the door already: what fails now is nobody's business any more. */
function leave(): void {
  for (const work of leaving) {
    try {
      work()
    } catch {
      // A disk that is gone keeps its own remains.
    }
  }
}
