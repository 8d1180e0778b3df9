/** Witnesses and rooms of projects that are no longer there: nobody else would ever remove them. */
import { join } from 'node:path'
import { exists, listFolder, readIfThere, removeFolder } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/sweep.ts'
import { roomOf } from '../room/room.ts'

/** `folder`: of all witnesses. A room is removed only if it is still the one that we made. */
export function forgetGone(folder: string): void {
  for (const name of listFolder(folder)) {
    const memory = join(folder, name)
    const root = readIfThere(join(memory, 'project'))
    if (root === null || exists(root.trim())) continue
    for (const place of [memory, join(memory, 'with-ignored')]) {
      const parent = roomOf(place)
      if (parent !== null) removeAll(parent)
    }
    removeFolder(memory)
  }
}
