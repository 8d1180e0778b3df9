/** The status of a parent or a feature, from the counts of its parts. The stored counters are enough: the parts are not read. */
import type { Feature, FeatureStage, Task, TaskStatus } from './task.ts'

export interface PartCounts {
  all: number
  done: number
  failed: number
  going: number
}

/** All done: done. Else one failed: failed. Else one in progress: in progress. Else pending. */
export function rollUpStatus({ all, done, failed, going }: PartCounts): TaskStatus {
  if (all > 0 && done === all) return 'done'
  if (failed > 0) return 'failed'
  return going > 0 ? 'in_progress' : 'pending'
}

export function childCountsOf(
  task: Pick<Task, 'children' | 'childrenDone' | 'childrenFailed' | 'childrenGoing'>,
): PartCounts {
  return { all: task.children, done: task.childrenDone, failed: task.childrenFailed, going: task.childrenGoing }
}

/** The status of a feature: its stage while it has no tasks. */
export type FeatureStatus = FeatureStage | 'running' | 'done' | 'failed'

export function featureStatus(feature: Pick<Feature, 'stage' | 'tasks' | 'done' | 'failed' | 'going'>): FeatureStatus {
  if (feature.tasks === 0) return feature.stage
  const status = rollUpStatus({ ...feature, all: feature.tasks })
  if (status === 'in_progress') return 'running'
  return status === 'pending' ? 'ready' : status
}

/** The counts of one part with this status. */
export function partCountsOf(status: TaskStatus): PartCounts {
  return {
    all: 1,
    done: Number(status === 'done'),
    failed: Number(status === 'failed'),
    going: Number(status === 'in_progress'),
  }
}

export const NO_PART_COUNTS: PartCounts = { all: 0, done: 0, failed: 0, going: 0 }

export function addPartCounts(a: PartCounts, b: PartCounts, times: 1 | -1 = 1): PartCounts {
  return {
    all: a.all + times * b.all,
    done: a.done + times * b.done,
    failed: a.failed + times * b.failed,
    going: a.going + times * b.going,
  }
}
