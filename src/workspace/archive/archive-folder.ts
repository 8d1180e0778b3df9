/** Where the tree archive of a project lies: in the user's own state folder, where no `git clean` and no reset reaches it. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import { stateFolder, type StateFolderInput } from '../../system/files/state-folder.ts'
import { workingTreeRoot, type Repo } from '../repo/find-repo.ts'

/** All tree archives of this user. */
export function archivesFolder(place: StateFolderInput): string {
  return stateFolder(place, 'archive')
}

/** Says whose it is, so that it can go when the project is gone. */
export function writeArchiveOwner(folder: string, root: string): void {
  const note = join(folder, 'project')
  if (readIfExists(note) !== `${root}\n`) writeWithoutSync(note, `${root}\n`)
}

/** Who keeps the whole home folder in git has the state folder inside the tree: then git's own folder is the place that is outside. */
export function archiveFolder(root: string, repo: Repo, place: StateFolderInput): string {
  const key = createHash('sha256')
    .update(realPath(root) ?? root)
    .digest('hex')
    .slice(0, 16)
  const all = archivesFolder(place)
  if (!resolvesInto(all, workingTreeRoot(repo))) return join(all, key)
  return join(repo.git?.gitDir ?? join(repo.root, '.ralph', 'state'), 'ralph', 'archive', key)
}
