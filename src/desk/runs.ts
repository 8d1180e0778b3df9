/** Finds the run a person means, and reads its record. */
import { RalphError } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import { findRun, latestRun, unfinishedRun, type RunEntry } from '../store/runs.ts'
import type { Sql } from '../store/sql.ts'
import { withStore } from './place.ts'

/** The unfinished run: the named one, or the one of this working tree. */
export function unfinished(root: string, named: string | null): Promise<RunId | null> {
  return withStore(root, async ({ sql }) => {
    if (named === null) return (await unfinishedRun(sql, root))?.id ?? null
    const run = await findRun(sql, named)
    if (run.end === null) return run.id
    throw new RalphError('usage', `run ${run.id} has ended already (${run.end.outcome})`, {
      hint: 'Start a new one: ralph loop',
    })
  })
}

/** The named run, or the last one of this working tree. */
export async function chooseRun(sql: Sql, root: string, named: string | null): Promise<RunEntry> {
  if (named !== null) return findRun(sql, named)
  const last = await latestRun(sql, root)
  if (last === null)
    throw new RalphError('no-run', 'nothing has run in this project yet', { hint: 'Start with: ralph loop' })
  return last
}
