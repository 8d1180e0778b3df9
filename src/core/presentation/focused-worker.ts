/** Which worker a screen shows that has room for one. */
import type { WorkerId } from '../ids.ts'
import type { RunView, WorkerView } from './run-view.ts'

/** The first worker that works; when none does, the first. */
export function focusedWorker(view: Pick<RunView, 'workers'> | null): WorkerView | undefined {
  const all = byNumber(view?.workers ?? {})
  return all.find(({ activity: { is } }) => is !== 'ended' && is !== 'paused' && is !== 'waiting') ?? all[0]
}

/** The worker with the lowest number: its breaker and its conversation outlive the run. */
export function firstWorker<W>(workers: Record<WorkerId, W>): W | undefined {
  return byNumber(workers)[0]
}

function byNumber<W>(workers: Record<WorkerId, W>): W[] {
  const ids = Object.keys(workers).toSorted((one, other) => Number(one) - Number(other))
  return ids.flatMap((id) => workers[id] ?? [])
}
