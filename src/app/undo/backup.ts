/** Makes, lists and restores backups. Never while a run works in the tree. */
import { systemClock } from '../../system/clock.ts'
import { listBackups, backUpWorkingTree, rollBack, type Backup, type RollbackResult } from '../../workspace/backup.ts'
import { markTreeAsSeen, refuseDuringRun, type TreeChangeContext } from './mark-tree-seen.ts'
import { projectFoldersOf, withStoreIfAny } from '../open-store.ts'

export async function createBackup(root: string): Promise<string> {
  const { repo } = await projectFoldersOf(root)
  return backUpWorkingTree(repo, systemClock().at())
}

export async function listAllBackups(root: string): Promise<Backup[]> {
  const { repo } = await projectFoldersOf(root)
  return listBackups(repo)
}

export async function restoreBackup(
  root: string,
  name: string,
  whose: Pick<TreeChangeContext, 'plan' | 'env' | 'home'>,
): Promise<RollbackResult> {
  // A project without a store may still have backups of the bash tool.
  await withStoreIfAny(root, ({ sql }) => refuseDuringRun(sql, root))
  const { repo } = await projectFoldersOf(root)
  const done = await rollBack(repo, name, { at: systemClock().at() })
  await markTreeAsSeen({ ...whose, root, repo })
  return done
}
