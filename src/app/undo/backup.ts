/** Makes, lists and restores backups. Never while a run works in the tree. */
import { systemClock } from '../../system/clock.ts'
import { listBackups, makeBackup, rollBack, type Backup, type RollbackResult } from '../../workspace/backup.ts'
import { noteTreeChange, refuseDuringRun, type TreeChangeContext } from './note-tree-change.ts'
import { projectFoldersOf, withStoreIfAny } from '../open-store.ts'

export async function createBackup(root: string): Promise<string> {
  const { repo } = await projectFoldersOf(root)
  return makeBackup(repo, systemClock().at())
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
  await noteTreeChange(root, { ...whose, repo })
  return done
}
