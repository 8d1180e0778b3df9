/** Lets long loops give the event loop a turn now and then: otherwise even Ctrl+C would wait until they end. */
import { systemClock } from './clock.ts'

/** Too short for a person to notice, long enough that a loop loses almost no time. */
const TURN_MS = 20

/** Await this at each step. Throws when the work is aborted. */
export function createEventLoopYielder(signal: AbortSignal | undefined): () => Promise<void> {
  const clock = systemClock()
  let last = clock.up()
  return async () => {
    signal?.throwIfAborted()
    if (clock.up() - last < TURN_MS) return
    await new Promise((resolve) => void setImmediate(resolve))
    last = clock.up()
    signal?.throwIfAborted()
  }
}
