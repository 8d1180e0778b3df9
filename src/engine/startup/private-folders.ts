/** Makes Ralph's folders readable by their owner only: they may contain secrets of the project. */
import { dirname } from 'node:path'
import { messageOf } from '../../core/error.ts'
import { isOpenToOthers, makePrivate } from '../../system/files/copy-move.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { stateFilePath } from '../../workspace/state-files.ts'

/** A private folder protects its content, so only an open one is walked. */
export function makeFoldersPrivate(
  { root, repo, folder }: { root: string; repo: Repo; folder: string },
  notice: (text: string) => void,
): void {
  // All projects of a repository are in one folder of Ralph's.
  const ours = repo.git === null ? [folder] : [dirname(folder), folder]
  try {
    if (ours.some(isOpenToOthers)) {
      for (const place of ours) makePrivate(place, { inside: place === folder })
    }
    for (const name of ['logs', 'reports']) makePrivate(stateFilePath(root, name), { inside: false })
  } catch (error) {
    notice(`Other users of this machine may be able to read Ralph's files: ${messageOf(error)}`)
  }
}
