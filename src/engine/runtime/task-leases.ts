/** Keeps the tasks of a run as long as its engine lives, and finds out which of them are no longer its own. */
import type { RunId, WorkerId } from '../../core/ids.ts'
import type { EventOf } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import { taskJobOf } from '../../core/state/job.ts'
import { renewClaims, findLostClaims, type TaskClaim } from '../../store/task/claims.ts'
import type { Sql } from '../../store/db/sql.ts'
import type { Clock } from '../../system/clock.ts'

export interface TaskLeases {
  /** To be called several times a second; what it gives is news for the core. */
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
      // Three chances before anybody may think that this engine is dead.
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

/** Those that nobody knows yet to be lost. */
function claimsIn({ workers }: RunState): (TaskClaim & { worker: WorkerId })[] {
  return Object.values(workers).flatMap((worker) => {
    const job = taskJobOf(worker)
    return job?.drop === null ? [{ worker: worker.id, task: job.task, attempt: job.attempt }] : []
  })
}
