/** The newest runs of a project, for a shell that completes their ids. */
import { RalphError } from '../../core/error.ts'
import { listRuns } from '../../store/runs.ts'
import { withStore } from '../open-store.ts'

const MANY = 20

/** Id and one phrase about it, newest first; none where nothing has run. */
export async function recentRuns(root: string): Promise<{ id: string; about: string }[]> {
  try {
    return await withStore(root, async ({ sql }) => {
      const runs = await listRuns(sql, MANY)
      return runs.map(({ id, command, end }) => ({
        id,
        about: `${command}: ${end?.outcome ?? 'unfinished'}`,
      }))
    })
  } catch (error) {
    // A store that cannot be read is told by every other command; a pressed Tab key is no place for it.
    if (error instanceof RalphError) return []
    throw error
  }
}
