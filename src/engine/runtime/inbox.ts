/** The event queue of a run: everything that happens to it enters here and is processed in order. */
import type { Event } from '../../core/state/event.ts'

export interface Inbox {
  put(event: Event): void
  /** The run cannot continue: the next `take` throws this error. */
  fail(error: unknown): void
  /** All queued events; waits until there is one. */
  take(): Promise<Event[]>
}

export function openInbox(): Inbox {
  let waiting: Event[] = []
  let wake: (() => void) | null = null
  let failed: { error: unknown } | null = null
  return {
    put(event) {
      waiting.push(event)
      wake?.()
    },
    fail(error) {
      failed ??= { error }
      wake?.()
    },
    async take() {
      if (waiting.length === 0 && failed === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = null
      }
      if (failed !== null) throw failed.error
      const taken = waiting
      waiting = []
      return taken
    },
  }
}
