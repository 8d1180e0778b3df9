/** Whether somebody is drafting a feature at this moment: then its papers are theirs. */
import { RalphError } from '../../domain/error.ts'
import type { Sql } from '../../store/db/sql.ts'
import { holderOf } from '../../store/holder.ts'
import { unfinishedRun } from '../../store/runs.ts'

export async function refuseDrafting(sql: Sql, root: string, name: string): Promise<void> {
  const holder = await holderOf(sql, root)
  // The holder's own row does not name the run: there was none yet when it was written.
  if (holder === null || (await unfinishedRun(sql, root))?.kind !== 'feature') return
  throw new RalphError(
    'held',
    `"${holder.command}" (process ${holder.pid}) is drafting in ${root}, so ${name} stays as it is`,
    {
      hint: 'Stop it first: ralph stop',
    },
  )
}
