/** Renews the claims of a run while its engine lives, and detects lost ones. */
import type { RunId, WorkerId } from '../../core/ids.ts'
import type { EventOf } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import { taskJobOf } from '../../core/state/job.ts'
import { renewClaims, findLostClaims, type TaskClaim } from '../../store/task/claims.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { Clock } from '../../system/clock.ts'

export interface TaskLeases {
  /** Called several times a second; returns events for the core. */
  renew(state: RunState | null): Promise<EventOf<'claim-lost'>[]>
}

export function openTaskLeases({
  sql,
  run,
  clock,
}: {
  sql: Sql
  run: RunId
  clock: Pick<Clock, 'at' | 'up'>
}): TaskLeases {
  let renewedUp = -Infinity

  return {
    async renew(state) {
      const held = state === null ? [] : claimsIn(state)
      if (state === null || held.length === 0) return []
      const { leaseMs } = state.run.rules.task
      // Three attempts before the lease expires.
      if (clock.up() - renewedUp >= leaseMs / 3) {
        renewedUp = clock.up()
        await renewClaims(sql, { run, leaseUntil: clock.at() + leaseMs })
      }
      const lost = await findLostClaims(sql, run, held)
      return held.flatMap(({ worker, task, attempt }) => {
        const found = lost.find((one) => one.task === task && one.attempt === attempt)
        return found === undefined ? [] : [{ type: 'claim-lost', worker, task, attempt, status: found.status }]
      })
    },
  }
}

/** Claims that are not known to be lost. */
function claimsIn({ workers }: RunState): (TaskClaim & { worker: WorkerId })[] {
  return Object.values(workers).flatMap((worker) => {
    const job = taskJobOf(worker)
    return job?.drop === null ? [{ worker: worker.id, task: job.task, attempt: job.attempt }] : []
  })
}
