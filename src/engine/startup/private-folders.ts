/** What Ralph keeps may hold the project's secrets, so it is the owner's alone; what was left open is closed. */
import { dirname } from 'node:path'
import { messageOf } from '../../core/error.ts'
import { isOpenToOthers, makePrivate } from '../../system/files/copy-move.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { stateFilePath } from '../../workspace/state-files.ts'

/** Into a folder that is closed nobody comes, whatever is in it: only an open one is gone through. */
export function makeFoldersPrivate(
  { root, repo, folder }: { root: string; repo: Repo; folder: string },
  notice: (text: string) => void,
): void {
  // All projects of a repository lie in one folder of ours.
  const ours = repo.git === null ? [folder] : [dirname(folder), folder]
  try {
    if (ours.some(isOpenToOthers)) {
      for (const place of ours) makePrivate(place, { inside: place === folder })
    }
    for (const name of ['logs', 'reports']) makePrivate(stateFilePath(root, name), { inside: false })
  } catch (error) {
    notice(`Others on this machine may be able to read what Ralph keeps: ${messageOf(error)}`)
  }
}
