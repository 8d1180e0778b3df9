/** Whether somebody is drafting a feature at this moment: then its papers are theirs. */
import { RalphError } from '../../domain/error.ts'
import { holderOf } from '../../store/holder.ts'
import type { Sql } from '../../store/db/sql.ts'
import { runEntry } from '../../store/runs.ts'

export async function refuseDrafting(sql: Sql, root: string, name: string): Promise<void> {
  const holder = await holderOf(sql, root)
  if (holder === null || holder.run === null) return
  const run = await runEntry(sql, holder.run)
  if (run === null || run.kind === 'loop' || run.kind === 'tasks') return
  throw new RalphError(
    'held',
    `"${holder.command}" (process ${holder.pid}) is drafting in ${root}, so ${name} stays as it is`,
    {
      hint: 'Stop it first: ralph stop',
    },
  )
}
