/** Backups as a person asks for them: made now, listed, restored. Never while a run works in the tree. */
import { RalphError } from '../../core/error.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { systemClock } from '../../system/clock.ts'
import {
  listBackups,
  makeBackup,
  rollBack,
  type Backup,
  type RollbackResult,
} from '../../workspace/backup.ts'
import { noteTreeChange, type TreeChangeContext } from './note-tree-change.ts'
import { projectFoldersOf, withStore } from '../open-store.ts'

export async function createBackup(root: string): Promise<string> {
  const { repo } = await projectFoldersOf(root)
  return makeBackup(repo, systemClock().at())
}

export async function allBackups(root: string): Promise<Backup[]> {
  const { repo } = await projectFoldersOf(root)
  return listBackups(repo)
}

export async function restoreBackup(
  root: string,
  name: string,
  whose: Pick<TreeChangeContext, 'plan' | 'env' | 'home'>,
): Promise<RollbackResult> {
  await refuseDuringRun(root)
  const { repo } = await projectFoldersOf(root)
  const done = await rollBack(repo, name, { at: systemClock().at() })
  await noteTreeChange(root, { ...whose, repo })
  return done
}

async function refuseDuringRun(root: string): Promise<void> {
  try {
    const lockOwner = await withStore(root, ({ sql }) => lockOwnerOf(sql, root))
    if (lockOwner === null) return
    throw new RalphError('held', `"${lockOwner.command}" (process ${lockOwner.pid}) is working in ${root}`, {
      hint: 'Stop it first: ralph stop',
    })
  } catch (error) {
    // A project that never ran has backups of the bash tool all the same.
    if (!(error instanceof RalphError) || error.code !== 'no-run') throw error
  }
}
