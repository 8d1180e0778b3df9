/** Removes tree archives and clean rooms of projects that no longer exist: nothing else would. */
import { join } from 'node:path'
import { exists, listFolder, readIfExists, removeFolder } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import { recordedCleanRoomPath } from '../clean-room/clean-room.ts'

/** `folder`: of all tree archives. A clean room is removed only if it is still the folder that Ralph created. */
export function removeOrphanedArchives(folder: string): void {
  for (const name of listFolder(folder)) {
    const memory = join(folder, name)
    const root = readIfExists(join(memory, 'project'))
    if (root === null || exists(root.trim())) continue
    for (const place of [memory, join(memory, 'with-ignored')]) {
      const parent = recordedCleanRoomPath(place)
      if (parent !== null) removeAll(parent)
    }
    removeFolder(memory)
  }
}
