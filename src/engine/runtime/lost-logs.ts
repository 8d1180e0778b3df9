/**
 * When the end of a record is lost, its run continues from an earlier row and repeats iterations that already have logs. Ralph moves
 * these logs away: they show paid work, and must not be taken for those of the repeated iteration.
 */
import { join } from 'node:path'
import type { RunState } from '../../core/state/state.ts'
import { exists, isFolder, listFolder } from '../../system/files/files.ts'
import { moveFile } from '../../system/files/copy-move.ts'
import { runLogFolder, workerFolderName } from '../../workspace/log-folders.ts'
import { type HandlerContext } from '../handler-context.ts'

/** Returns their new paths. */
export function quarantineLostLogs(world: Pick<HandlerContext, 'folder' | 'run'>, { workers }: RunState): string[] {
  const logs = runLogFolder(world)
  return Object.entries(workers).flatMap(([worker, { iteration }]) =>
    lostIn(join(logs, workerFolderName(worker)), iteration),
  )
}

function lostIn(folder: string, iteration: number): string[] {
  const lost = listFolder(folder)
    .filter((name) => /^\d+$/.test(name) && Number(name) > iteration)
    .map((name) => join(folder, name))
  return lost.filter(isFolder).map((from) => {
    const to = freeName(`${from}.lost`)
    moveFile(from, to)
    return to
  })
}

function freeName(path: string): string {
  let name = path
  for (let n = 2; exists(name); n += 1) name = `${path}-${n}`
  return name
}
