/** The runs of a project, newest first, with their cost and whether a process runs each of them now. */
import { describeCurrentTask } from '../../core/tasks/task-text.ts'
import { outcomeReason, runStatusText, runStatusTone } from '../../core/presentation/outcome-text.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { lostRowsMessage } from '../../store/db/last-row-note.ts'
import { listRuns, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { countFinishedTasks } from '../../store/task/claims-of-run.ts'
import { loadRunSummary } from '../../store/run-views.ts'
import { agentsOfRun, usageOfRun, type RunUsage } from '../../store/usage.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import { awakeTimeOf, lastRowTime } from '../../store/record.ts'
import { withStore } from '../open-store.ts'
import { noRunsError } from './find-run.ts'
import { currentStatusOf } from './current-status.ts'
import { findUndoOf, type RunUndo } from '../undo/run-undo.ts'

/** `ralph runs --json`: a list of these. */
export interface ListedRun extends RunEntry {
  /** The time of the last row, if the run has not ended. */
  lastAt: number
  /** Awake time, as on every other screen. */
  durationMs: number
  /** The agents that were called, in the order of their first call; `agent` is only the first one of the order. */
  agents: string[]
  /** The current status in a few words, and a sentence about it; null: there is no sentence. */
  title: string
  tone: ReturnType<typeof runStatusTone>
  why: string | null
  /** For people, in their time zone. */
  started: string
  is: 'ended' | 'going' | 'left' | 'cut-off'
  /** It belongs to this working tree, not to another one of the repository. */
  isThisWorkspace: boolean
  usage: RunUsage
  /** How many claimed tasks are done or failed; null: it is a plain loop. */
  tasks: { done: number; failed: number } | null
  /** It was undone. */
  undone: RunUndo | null
}

export interface RunList {
  runs: ListedRun[]
  /** What the store lost, as text. */
  lost: string | null
}

/** `all`: also those of `ralph verify` and `ralph import`. */
export function listProjectRuns(root: string, { limit, all }: { limit: number; all: boolean }): Promise<RunList> {
  return withStore(root, async ({ sql, lost }) => {
    const entries = await listRuns(sql, limit, { kinds: all ? 'all' : 'working' })
    if (entries.length === 0) throw noRunsError(lost === null ? undefined : lostRowsMessage(lost))
    const listed: ListedRun[] = []
    for (const entry of entries) listed.push(await describe(sql, root, entry))
    return { runs: listed, lost: lost === null ? null : lostRowsMessage(lost) }
  })
}

async function describe(sql: Sql, root: string, entry: RunEntry): Promise<ListedRun> {
  const served = entry.end === null && (await lockOwnerOf(sql, entry.workspace)) !== null
  const standing = await currentStatusOf(sql, entry)
  return {
    ...entry,
    durationMs: await awakeTimeOf(sql, entry.id),
    agents: await agentsOfRun(sql, entry.id),
    title: served ? 'running' : runStatusText(standing),
    tone: served ? 'good' : runStatusTone(standing),
    why: served
      ? await taskAt(sql, entry)
      : standing.outcome === null
        ? 'resume it: ralph resume'
        : outcomeReason(standing.outcome),
    lastAt: entry.end?.at ?? (await lastRowTime(sql, entry.id))?.at ?? entry.startedAt,
    started: formatLocalDateTime(entry.startedAt).slice(0, 16),
    is: entry.end !== null ? 'ended' : served ? 'going' : standing.left ? 'left' : 'cut-off',
    isThisWorkspace: entry.workspace === root,
    usage: await usageOfRun(sql, entry.id),
    tasks: entry.kind === 'tasks' ? await countFinishedTasks(sql, entry.id) : null,
    undone: await findUndoOf(sql, entry.id),
  }
}

/** The current task of a run over tasks; null: none, or it is a plain loop. */
async function taskAt(sql: Sql, { id, kind }: RunEntry): Promise<string | null> {
  if (kind === 'loop') return null
  const workers = Object.values((await loadRunSummary(sql, id))?.workers ?? {})
  return workers.flatMap(({ task }) => (task === null ? [] : [describeCurrentTask(task)])).join('; ') || null
}
