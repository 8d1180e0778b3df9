/** Finds the run a person means, and reads its record. */
import { RalphError } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import { rowsAfter } from '../store/record.ts'
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

/** The unfinished run of this working tree, if its record says which programs it starts. */
export async function recordedRun(root: string): Promise<RunId | null> {
  try {
    return await withStore(root, async ({ sql }) => {
      const left = await unfinishedRun(sql, root)
      return left !== null && (await sayPrograms(sql, left.id)) ? left.id : null
    })
  } catch (error) {
    // No store yet, or trouble with it, which the engine tells better: either way there is no such run.
    if (error instanceof RalphError) return null
    throw error
  }
}

/** Whether a run's record says which programs of the project it starts. */
export function recordsPrograms(root: string, run: RunId): Promise<boolean> {
  return withStore(root, ({ sql }) => sayPrograms(sql, run))
}

async function sayPrograms(sql: Sql, run: RunId): Promise<boolean> {
  const [first] = await rowsAfter(sql, run, 0, 1)
  return first?.event.type === 'run-started' && first.event.programs !== undefined
}

/** The named run, or the last one of this working tree. */
export async function chooseRun(sql: Sql, root: string, named: string | null): Promise<RunEntry> {
  if (named !== null) return findRun(sql, named)
  const last = await latestRun(sql, root)
  if (last === null)
    throw new RalphError('no-run', 'nothing has run in this project yet', { hint: 'Start with: ralph loop' })
  return last
}
