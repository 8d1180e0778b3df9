/** Removes tree archives and clean rooms of projects that no longer exist: nothing else would. */
import { join } from 'node:path'
import { exists, listFolder, readIfExists, removeFolder } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import { recordedCleanRoomPath } from '../clean-room/clean-room.ts'

/** The archives of projects that no longer exist. `folder`: of all tree archives. */
export function listOrphanedArchives(folder: string): string[] {
  const archives = listFolder(folder).map((name) => join(folder, name))
  return archives.filter((archive) => {
    const root = readIfExists(join(archive, 'project'))
    return root !== null && !exists(root.trim())
  })
}

/** A clean room is removed only if it is still the folder that Ralph created. */
export function removeArchives(archives: readonly string[]): void {
  for (const memory of archives) {
    for (const place of [memory, join(memory, 'with-ignored')]) {
      const parent = recordedCleanRoomPath(place)
      if (parent !== null) removeAll(parent)
    }
    removeFolder(memory)
  }
}
