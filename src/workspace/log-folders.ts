/** The log folders of a run, beside the store: one per worker, and in it one per iteration. */
import { join } from 'node:path'
import type { RunId, WorkerId } from '../core/ids.ts'
import type { TaskId } from '../core/tasks/task.ts'
import { listFolder } from '../system/files/files.ts'

/** `folder`: the folder of the store. */
export interface LogLocation {
  folder: string
  run: RunId
}

export function runLogFolder({ folder, run }: LogLocation): string {
  return join(folder, 'logs', run)
}

export function iterationLogFolder(place: LogLocation, worker: WorkerId, iteration: number): string {
  return ofWorker(place, worker, String(iteration))
}

/** Folders for copies of a draft's files from before this turn, and of the changed versions found afterwards. */
export function draftCopyFolders(
  place: LogLocation,
  worker: WorkerId,
  iteration: number,
): { before: string; instead: string } {
  const folder = iterationLogFolder(place, worker, iteration)
  return { before: join(folder, 'papers'), instead: join(folder, 'papers-instead') }
}

/** Copies of the control files at this worker's last snapshot. */
export function controlCopiesFolder(place: LogLocation, worker: WorkerId): string {
  return ofWorker(place, worker, 'control')
}

/** The knowledge recalled when a task was claimed; all iterations of that claim get the same. */
export function recallFilePath(place: LogLocation, worker: WorkerId, claim: { id: TaskId; attempt: number }): string {
  return join(ofWorker(place, worker, 'knowledge'), `${claim.id}-${claim.attempt}.json`)
}

function ofWorker(place: LogLocation, worker: WorkerId, name: string): string {
  return join(runLogFolder(place), workerFolderName(worker), name)
}

/** The folders with logs of a run, relative to the run's own: `w1/3`. */
export function logFolders(place: LogLocation): string[] {
  const own = runLogFolder(place)
  return listFolder(own)
    .filter((name) => /^w\w+$/.test(name))
    .flatMap((name) => listFolder(join(own, name)).map((inside) => `${name}/${inside}`))
}

/** The name of a worker's folder of logs, and of its snapshot refs. */
export function workerFolderName(worker: WorkerId): string {
  return `w${worker}`
}
