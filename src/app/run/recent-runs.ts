/** The newest runs of a project, for a shell that completes their ids. */
import { listRuns } from '../../store/runs.ts'
import { withReadableStore } from '../open-store.ts'

const MANY = 20

/** Id and one phrase about each, newest first; empty if nothing has run. */
export async function recentRuns(root: string): Promise<{ id: string; about: string }[]> {
  // Shell completion is no place to report a store that cannot be read.
  const runs = await withReadableStore(root, ({ sql }) => listRuns(sql, MANY))
  return (runs ?? []).map(({ id, command, end }) => ({ id, about: `${command}: ${end?.outcome ?? 'unfinished'}` }))
}
