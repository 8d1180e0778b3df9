/** Whether somebody is drafting a feature at this moment: then its documents are theirs. */
import { RalphError } from '../../core/error.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { unfinishedRun } from '../../store/runs.ts'

export async function refuseWhileDrafting(sql: Sql, root: string, name: string): Promise<void> {
  const lockOwner = await lockOwnerOf(sql, root)
  // The lock owner's own row does not name the run: there was none yet when it was written.
  if (lockOwner === null || (await unfinishedRun(sql, root))?.kind !== 'feature') return
  throw new RalphError(
    'held',
    `"${lockOwner.command}" (process ${lockOwner.pid}) is drafting in ${root}, so ${name} stays as it is`,
    {
      hint: 'Stop it first: ralph stop',
    },
  )
}
