/** Finds the run a person means, and reads its record. */
import { programsFromRecord } from '../../config/programs-in-record.ts'
import type { Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import { isOneStageRun } from '../../core/state/run-kind.ts'
import { upgradeState } from '../../core/state/upgrade.ts'
import { loadRunPrograms } from '../../store/record.ts'
import { loadRunState } from '../../store/run-state.ts'
import { findRunByPrefix, loadLatestRun, loadUnfinishedRun, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { withReadableStore, withStore } from '../open-store.ts'

/** The unfinished run: the named one, or the one of this working tree. */
export function findUnfinishedRun(root: string, named: string | null): Promise<RunId | null> {
  return withStore(root, async ({ sql }) => {
    if (named === null) return (await loadUnfinishedRun(sql, root))?.id ?? null
    const run = await findRunByPrefix(sql, named)
    refuseOneStageRun(run, 'resumed')
    if (run.end === null) return run.id
    throw new RalphError('usage', `run ${run.id} has already ended (${run.end.outcome})`, {
      hint: 'Start a new run: ralph loop',
    })
  })
}

/** The unfinished run of this working tree. */
export async function unfinishedRunIfReadable(root: string): Promise<RunId | null> {
  return withReadableStore(root, async ({ sql }) => (await loadUnfinishedRun(sql, root))?.id ?? null)
}

/** The unfinished run of this working tree, and the programs its record would start. */
export async function programsOfUnfinishedRun(
  root: string,
  settings: Settings,
): Promise<{ record: RunId; programs: ProjectProgram[] } | null> {
  return withReadableStore(root, async ({ sql }) => {
    const left = await loadUnfinishedRun(sql, root)
    const state = left === null ? null : await loadRunState(sql, left.id)
    if (left === null || state === null) return null
    const { id: run } = left
    const record = { run, state: upgradeState(state, run), programs: await loadRunPrograms(sql, run) }
    return { record: run, programs: programsFromRecord(record, settings) }
  })
}

/** A run of one stage changes nothing and is simply started again. */
export function refuseOneStageRun({ id, kind, command }: RunEntry, done: 'resumed' | 'undone'): void {
  if (!isOneStageRun(kind)) return
  throw new RalphError('usage', `run ${id} is a ralph ${kind} run and cannot be ${done}`, {
    hint: done === 'resumed' ? `Run it again: ${command}` : 'List the runs: ralph runs',
  })
}

/** The named run, or the last one of this working tree. */
export async function findRunOrLatest(sql: Sql, root: string, named: string | null): Promise<RunEntry> {
  if (named !== null) return findRunByPrefix(sql, named)
  const last = await loadLatestRun(sql, root)
  if (last === null) throw noRunsError()
  return last
}

/** The same error as for a project without a store. */
export function noRunsError(hint = 'Start one: ralph loop'): RalphError {
  return new RalphError('no-run', 'this project has no runs yet', { hint })
}
