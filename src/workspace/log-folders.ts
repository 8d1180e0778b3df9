/** Where the logs of a run lie, beside the store: a folder per worker, and in it one per iteration. */
import { join } from 'node:path'
import type { RunId, WorkerId } from '../core/ids.ts'
import type { TaskId } from '../core/tasks/task.ts'
import { listFolder } from '../system/files/files.ts'

/** `folder`: where the store lies. */
export interface LogLocation {
  folder: string
  run: RunId
}

export function runFolder({ folder, run }: LogLocation): string {
  return join(folder, 'logs', run)
}

export function iterationFolder(place: LogLocation, worker: WorkerId, iteration: number): string {
  return ofWorker(place, worker, String(iteration))
}

/** Copies of what lay in the folder of a draft before this turn of it, and of what was found in its place afterwards. */
export function draftCopyFolders(
  place: LogLocation,
  worker: WorkerId,
  iteration: number,
): { before: string; instead: string } {
  const folder = iterationFolder(place, worker, iteration)
  return { before: join(folder, 'papers'), instead: join(folder, 'papers-instead') }
}

/** Copies of the control files as this worker's last look saw them. */
export function controlCopiesFolder(place: LogLocation, worker: WorkerId): string {
  return ofWorker(place, worker, 'control')
}

/** What the project knew when a task was claimed, as all visits of that claim are told. */
export function recallFilePath(place: LogLocation, worker: WorkerId, claim: { id: TaskId; attempt: number }): string {
  return join(ofWorker(place, worker, 'knowledge'), `${claim.id}-${claim.attempt}.json`)
}

function ofWorker(place: LogLocation, worker: WorkerId, name: string): string {
  return join(runFolder(place), workerFolderName(worker), name)
}

/** The folders in which logs of a run lie, from the run's own on: `w1/3`. */
export function logFolders(place: LogLocation): string[] {
  const own = runFolder(place)
  return listFolder(own)
    .filter((name) => /^w\w+$/.test(name))
    .flatMap((name) => listFolder(join(own, name)).map((inside) => `${name}/${inside}`))
}

/** Of the folders of its logs, and of its snapshots. */
export function workerFolderName(worker: WorkerId): string {
  return `w${worker}`
}
