/** What a run is for. */
import type { EventOf } from './event.ts'

/** The prompt again and again, tasks, the documents of a feature; or one stage alone. */
export type RunKind = 'loop' | 'tasks' | 'feature' | OneStageKind

/**
 * A run of one stage has a record like any other. It changes nothing, so "the last run" and "the runs" leave it out, and one that was
 * interrupted is dropped.
 */
export type OneStageKind = (typeof ONE_STAGE_KINDS)[number]

export const ONE_STAGE_KINDS = ['verify', 'import'] as const

export function isOneStageRun(kind: RunKind): kind is OneStageKind {
  return ONE_STAGE_KINDS.some((one) => one === kind)
}

export function runKindOf({
  tasks,
  draft,
  verify,
  import: imports,
}: Pick<EventOf<'run-started'>, 'tasks' | 'draft' | 'verify' | 'import'>): RunKind {
  if (imports !== undefined) return 'import'
  if (verify !== undefined) return 'verify'
  if (draft !== undefined) return 'feature'
  return tasks === undefined ? 'loop' : 'tasks'
}
