/** The one ordered door: everything that happens to a run comes in here and is taken in the order in which it came. */
import type { Event } from '../../core/state/event.ts'

export interface Inbox {
  put(event: Event): void
  /** Nothing more can be served: whoever takes next gets this error instead of what waits. */
  fail(error: unknown): void
  /** All that waits; waits itself until there is something. */
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
