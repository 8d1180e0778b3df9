/** Long loops over many small things leave the event loop a turn now and then: otherwise a Ctrl+C is not even heard until they end. */
import { systemClock } from './clock.ts'

/** A person does not notice so much; a loop that does nothing else loses next to nothing by it. */
const TURN_MS = 20

/** To be awaited at each step. Throws when the work is called off. */
export function eventLoopYielder(signal: AbortSignal | undefined): () => Promise<void> {
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
