/** Time that passes for whoever performs an effect. */
import type { World } from './world.ts'

/** What is told to end has so long: git a second, a gate two. */
export const GIT_GRACE_MS = 1_000
export const GATE_GRACE_MS = 2_000

/** Lets engine time pass, and less of it once that is called off; never comes back if the engine dies meanwhile. */
export function virtualDelay(world: World, ms: number, signal: AbortSignal, graceMs = GIT_GRACE_MS): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const cut = (): void => {
      timer.cancel()
      timer = world.after('engine', world.random.int(0, graceMs), () => reject(signal.reason as Error))
    }
    let timer = world.after('engine', ms, () => {
      signal.removeEventListener('abort', cut)
      resolve()
    })
    signal.addEventListener('abort', cut)
  })
}
