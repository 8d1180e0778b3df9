/**
 * The engine's pulse: four times a second it looks for requests from other processes, for a clock that jumped, and whether the tasks of the
 * run are still its own. Every third of a lease it says that they are.
 */
import type { RunId, WorkerId } from '../../domain/ids.ts'
import type { TaskId } from '../../domain/task/task.ts'
import type { House } from '../../domain/run/house.ts'
import { keepClaims, lostClaims } from '../../store/claims.ts'
import { requestsAfter } from '../../store/requests.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { Clock } from '../../system/clock.ts'
import type { Inbox } from './inbox.ts'

const BEAT_MS = 250
/** Below this a difference is the scheduler's, not the clock's. */
const JUMP_MS = 5_000

export interface Pulse {
  stop(): void
}

export function startPulse(options: {
  sql: Sql
  run: RunId
  inbox: Inbox
  clock: Clock
  /** As it stands; null: before its first row. */
  house: () => House | null
}): Pulse {
  const { sql, run, inbox, clock, house } = options
  let renewedUp = -Infinity
  let lastRequest = 0
  let offset = clock.at() - clock.up()
  let stopped = false

  async function beat(): Promise<void> {
    const now = clock.at() - clock.up()
    if (Math.abs(now - offset) > JUMP_MS) {
      inbox.put({ type: 'clock-jumped', by: now - offset })
      offset = now
    }
    for (const request of await requestsAfter(sql, run, lastRequest)) {
      lastRequest = Math.max(lastRequest, request.id ?? 0)
      inbox.put({ type: 'request-received', request })
    }
    await holdTasks()
  }

  async function holdTasks(): Promise<void> {
    const stands = house()
    const held = stands === null ? [] : claimsIn(stands)
    if (stands === null || held.length === 0) return
    const { leaseMs } = stands.run.rules.task
    if (clock.up() - renewedUp >= leaseMs / 3) {
      renewedUp = clock.up()
      await keepClaims(sql, { run, leaseUntil: clock.at() + leaseMs })
    }
    for (const { task, attempt } of await lostClaims(sql, run, held)) {
      const worker = held.find((one) => one.task === task && one.attempt === attempt)?.worker
      if (worker !== undefined) inbox.put({ type: 'claim-lost', worker, task, attempt })
    }
  }

  function arm(): void {
    timer = clock.after(BEAT_MS, () => {
      if (stopped) return
      // A failing read here fails the next write too, which goes through the emergency door with the reason.
      beat().then(arm, arm)
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

/** Those that nobody knows yet to be lost. */
function claimsIn({ workers }: House): { worker: WorkerId; task: TaskId; attempt: number }[] {
  return Object.values(workers).flatMap(({ id, job }) =>
    job.is === 'task' && job.drop === null ? [{ worker: id, task: job.task, attempt: job.attempt }] : [],
  )
}
