/** What a helper such as git runs for: it carries the mark, by which it is found even after a crash, and ends when the signal is
 *  aborted. */
import { setMaxListeners } from 'node:events'

export interface GitContext {
  /** The value of `MARK_VARIABLE` in the helper's environment. */
  mark: string
  signal: AbortSignal
}

/** A controller whose signal allows any number of listeners: a tree can contain hundreds of repositories. */
export function newAbortController(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** Aborted with the first of the two. */
export function anySignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  const either = AbortSignal.any([one, other])
  setMaxListeners(0, either)
  return either
}
