/** Where the logs of a run lie, beside the store: one folder per iteration. */
import { join } from 'node:path'
import type { RunId, WorkerId } from '../domain/ids.ts'

/** `folder`: where the store lies. */
export interface LogPlace {
  folder: string
  run: RunId
}

export function runFolder({ folder, run }: LogPlace): string {
  return join(folder, 'logs', run)
}

/** A plain loop has one worker, whose folders are simply numbered. */
export function iterationFolder(place: LogPlace, worker: WorkerId, iteration: number): string {
  return join(runFolder(place), worker === '1' ? String(iteration) : `${worker}.${iteration}`)
}
