/** The folder of a project's tree archive: in the user's state folder, which no `git clean` or reset touches. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import { stateFolder, type StateFolderInput } from '../../system/files/state-folder.ts'
import { workingTreeRoot, type Repo } from '../repo/find-repo.ts'

/** All tree archives of this user. */
export function allArchivesFolder(place: StateFolderInput): string {
  return stateFolder(place, 'archive')
}

/** Records the project of an archive, so that the archive can be removed when the project is gone. */
export function writeArchiveProject(folder: string, root: string): void {
  const note = join(folder, 'project')
  if (readIfExists(note) !== `${root}\n`) writeWithoutSync(note, `${root}\n`)
}

/** If the whole home folder is in git, the state folder is inside the tree: then the archive is in the git folder. */
export function projectArchiveFolder(root: string, repo: Repo, place: StateFolderInput): string {
  const key = createHash('sha256')
    .update(realPath(root) ?? root)
    .digest('hex')
    .slice(0, 16)
  const all = allArchivesFolder(place)
  if (!resolvesInto(all, workingTreeRoot(repo))) return join(all, key)
  return join(repo.git?.gitDir ?? join(repo.root, '.ralph', 'state'), 'ralph', 'archive', key)
}
