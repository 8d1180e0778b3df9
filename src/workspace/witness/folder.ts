/** Where the witness of a project lies: in the user's own state folder, where no `git clean` and no reset reaches it. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readIfThere, writeLoose } from '../../system/files/files.ts'
import { leadsInto, realPath } from '../../system/files/links.ts'
import { stateFolder, type StatePlace } from '../../system/files/state-folder.ts'
import { topFolder, type Repo } from '../repo/repository-at.ts'

/** All witnesses of this user. */
export function witnessesFolder(place: StatePlace): string {
  return stateFolder(place, 'witness')
}

/** Says whose it is, so that it can go when the project is gone. */
export function nameWitness(folder: string, root: string): void {
  const note = join(folder, 'project')
  if (readIfThere(note) !== `${root}\n`) writeLoose(note, `${root}\n`)
}

/** Who keeps the whole home folder in git has the state folder inside the tree: then git's own folder is the place that is outside. */
export function witnessFolder(root: string, repo: Repo, place: StatePlace): string {
  const key = createHash('sha256')
    .update(realPath(root) ?? root)
    .digest('hex')
    .slice(0, 16)
  const all = witnessesFolder(place)
  if (!leadsInto(all, topFolder(repo))) return join(all, key)
  return join(repo.git?.gitDir ?? join(repo.root, '.ralph', 'state'), 'ralph', 'witness', key)
}
