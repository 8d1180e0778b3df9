/**
 * The engine's pulse: four times a second it looks for requests from other processes, for a clock that jumped, and whether the tasks of the
 * run are still its own. Every third of a lease it says that they are.
 */
import type { RunId } from '../../core/ids.ts'
import type { RunState } from '../../core/state/state.ts'
import { loadRequestsAfter } from '../../store/requests.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { Clock } from '../../system/clock.ts'
import { openTaskLeases } from './task-leases.ts'
import type { Inbox } from './inbox.ts'

const BEAT_MS = 250
/** Below this a difference is the scheduler's, not the clock's. */
const JUMP_MS = 5_000

export interface Poller {
  stop(): void
}

export function startPolling(options: {
  sql: Sql
  run: RunId
  inbox: Inbox
  clock: Clock
  /** As it stands; null: before its first row. */
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
      // A failing read here fails the next write too, which goes through the emergency door with the reason.
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
