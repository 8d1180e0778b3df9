/** What a parent or a feature is said to be, from how its parts stand. Kept counters are enough: nobody looks at the parts. */
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
  return {
    all: task.children,
    done: task.childrenDone,
    failed: task.childrenFailed,
    going: task.childrenGoing,
  }
}

/** How a feature stands: its stage while it has no tasks. */
export type FeatureStatus = FeatureStage | 'running' | 'done' | 'failed'

export function featureStatus(feature: Pick<Feature, 'stage' | 'tasks' | 'done' | 'failed' | 'going'>): FeatureStatus {
  if (feature.tasks === 0) return feature.stage
  const status = rollUpStatus({ ...feature, all: feature.tasks })
  if (status === 'in_progress') return 'running'
  return status === 'pending' ? 'ready' : status
}

/** One part with this status, as it is counted. */
export function countPart(status: TaskStatus): PartCounts {
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
