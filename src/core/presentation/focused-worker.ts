/** Whom a screen shows that has room for one worker. */
import type { WorkerId } from '../ids.ts'
import type { RunView, WorkerView } from './run-view.ts'

/** The first that is at work; when nobody is, the first. A run with one worker has no choice. */
export function focusedWorker(view: Pick<RunView, 'workers'> | null): WorkerView | undefined {
  const all = byNumber(view?.workers ?? {})
  return all.find(({ activity: { is } }) => is !== 'ended' && is !== 'paused' && is !== 'waiting') ?? all[0]
}

/** The one who began first: what outlives a run (its breaker, its conversation) is his. */
export function firstWorker<W>(workers: Record<WorkerId, W>): W | undefined {
  return byNumber(workers)[0]
}

function byNumber<W>(workers: Record<WorkerId, W>): W[] {
  const ids = Object.keys(workers).toSorted((one, other) => Number(one) - Number(other))
  return ids.flatMap((id) => workers[id] ?? [])
}
