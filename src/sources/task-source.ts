/** What every source of tasks returns, whichever tracker it uses. */
import type { ParsedTask } from '../compat/parse-tasks.ts'

export type SourceName = 'beads' | 'github' | 'prd'

export interface FetchedTasks {
  tasks: ParsedTask[]
  /** The source: `bd`, `.beads/issues.jsonl`, `gh`, a document's path. */
  from: string
  /** Worth reporting: what was left out, what was tried first. */
  remarks: string[]
}

export type SourceEnvironment = Record<string, string | undefined>

/** The bash tool's default. */
export const DEFAULT_TASK_LIMIT = 50

/** 0 means all of them. */
export function limitTasks(fetched: FetchedTasks, limit: number): FetchedTasks {
  const over = limit === 0 ? 0 : fetched.tasks.length - limit
  if (over <= 0) return fetched
  const remark = `${over} more were skipped: the limit is ${limit} (--limit N; 0: no limit)`
  return { ...fetched, tasks: fetched.tasks.slice(0, limit), remarks: [...fetched.remarks, remark] }
}
