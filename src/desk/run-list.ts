/** The runs of a project, newest first, with what each cost and whether anybody serves it now. */
import { holderOf } from '../store/holder.ts'
import { lossWords } from '../store/newest.ts'
import { listRuns, type RunEntry } from '../store/runs.ts'
import type { Sql } from '../store/sql.ts'
import { usageOfRun, type RunUsage } from '../store/usage.ts'
import { localSeconds } from '../system/local-time.ts'
import { lastStamp } from '../store/record.ts'
import { withStore } from './place.ts'

/** `ralph runs --json`: a list of these. */
export interface ListedRun extends RunEntry {
  /** Of the last row, where the run has not ended. */
  lastAt: number
  /** For people, in their zone. */
  started: string
  is: 'ended' | 'going' | 'cut-off'
  /** It belongs to this working tree, not to another one of the repository. */
  here: boolean
  usage: RunUsage
}

export interface RunList {
  runs: ListedRun[]
  /** What was written and is not in the store any more, in words. */
  lost: string | null
}

export function runsOf(root: string, limit: number): Promise<RunList> {
  return withStore(root, async ({ sql, lost }) => {
    const entries = await listRuns(sql, limit)
    const listed: ListedRun[] = []
    for (const entry of entries) listed.push(await describe(sql, root, entry))
    return { runs: listed, lost: lost === null ? null : lossWords(lost) }
  })
}

async function describe(sql: Sql, root: string, entry: RunEntry): Promise<ListedRun> {
  const served = entry.end === null && (await holderOf(sql, entry.workspace)) !== null
  return {
    ...entry,
    lastAt: entry.end?.at ?? (await lastStamp(sql, entry.id))?.at ?? entry.startedAt,
    started: localSeconds(entry.startedAt).slice(0, 16),
    is: entry.end !== null ? 'ended' : served ? 'going' : 'cut-off',
    here: entry.workspace === root,
    usage: await usageOfRun(sql, entry.id),
  }
}
