/**
 * Polls four times a second: for requests from other processes, for a clock jump, and for lost claims of the run. It renews the claims
 * every third of a lease.
 */
import type { RunId } from '../../core/ids.ts'
import type { RunState } from '../../core/state/state.ts'
import { loadRequestsAfter } from '../../store/requests.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { Clock } from '../../system/clock.ts'
import { openTaskLeases } from './task-leases.ts'
import type { Inbox } from './inbox.ts'

const BEAT_MS = 250
/** Smaller differences come from the scheduler, not from the clock. */
const JUMP_MS = 5_000

export interface Poller {
  stop(): void
}

export function pollRequestsAndClaims(options: {
  sql: Sql
  run: RunId
  inbox: Inbox
  clock: Clock
  /** The current state; null: there is no row yet. */
  state: () => RunState | null
}): Poller {
  const { sql, run, inbox, clock, state } = options
  const tasks = openTaskLeases({ sql, run, clock })
  let lastRequest = 0
  let offset = clock.at() - clock.up()
  let stopped = false

  async function renew(): Promise<void> {
    const now = clock.at() - clock.up()
    if (Math.abs(now - offset) > JUMP_MS) {
      inbox.put({ type: 'clock-jumped', by: now - offset })
      offset = now
    }
    for (const request of await loadRequestsAfter(sql, run, lastRequest)) {
      lastRequest = Math.max(lastRequest, request.id ?? 0)
      inbox.put({ type: 'request-received', request })
    }
    for (const event of await tasks.renew(state())) inbox.put(event)
  }

  function arm(): void {
    timer = clock.after(BEAT_MS, () => {
      if (stopped) return
      // If a read fails here, the next write fails too, and the emergency stop reports the reason.
      renew().then(arm, arm)
    })
  }

  let timer = clock.after(0, () => {})
  arm()
  return {
    stop() {
      stopped = true
      timer.cancel()
    },
  }
}
