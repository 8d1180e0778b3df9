/**
 * Which event follows which, per worker. What a real run shows and the fake world cannot produce is a gap of the world: rules
 * that were never tried.
 */
import type { Row } from '../../src/core/state/row.ts'

export interface EventOrders {
  take: (row: Row) => void
  /** `surveyed → admitted`, each once. */
  pairs: ReadonlySet<string>
}

export function openEventOrders(): EventOrders {
  const pairs = new Set<string>()
  let run = ''
  let last = new Map<string, string>()
  /** Events that name no worker belong to the line of each. */
  let all = ''
  return {
    pairs,
    take({ run: of, event }) {
      if (of !== run) {
        run = of
        last = new Map()
        all = ''
      }
      const { type } = event
      if ('worker' in event) {
        const before = last.get(event.worker) ?? all
        if (before !== '') pairs.add(`${before} → ${type}`)
        last.set(event.worker, type)
        return
      }
      for (const before of last.size === 0 ? [all] : last.values()) {
        if (before !== '') pairs.add(`${before} → ${type}`)
      }
      all = type
      for (const worker of last.keys()) last.set(worker, type)
    },
  }
}
