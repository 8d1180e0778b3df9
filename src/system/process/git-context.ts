/** On whose behalf a helper such as git runs: it carries the mark, by which it is found whatever becomes of us, and ends at the signal. */
import { setMaxListeners } from 'node:events'

export interface GitContext {
  /** The value of `MARK_VARIABLE` in its environment. */
  mark: string
  signal: AbortSignal
}

/** A controller whose signal any number of children may listen to at once: a tree can hold hundreds of repositories. */
export function newAbortController(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** Fires with the first of the two. */
export function anySignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  const either = AbortSignal.any([one, other])
  setMaxListeners(0, either)
  return either
}
