/** Backups as a person asks for them: made now, listed, restored. Never while a run works in the tree. */
import { RalphError } from '../../domain/error.ts'
import { holderOf } from '../../store/holder.ts'
import { realClock } from '../../system/clock.ts'
import { listBackups, makeBackup, rollBack, type Backup, type RolledBack } from '../../workspace/backup.ts'
import { noteOwnChange, type OwnChange } from './own-change.ts'
import { foldersOf, withStore } from '../store-at.ts'

export async function backUp(root: string): Promise<string> {
  const { repo } = await foldersOf(root)
  return makeBackup(repo, realClock().at())
}

export async function backups(root: string): Promise<Backup[]> {
  const { repo } = await foldersOf(root)
  return listBackups(repo)
}

export async function rollBackTo(
  root: string,
  name: string,
  whose: Pick<OwnChange, 'plan' | 'env' | 'home'>,
): Promise<RolledBack> {
  await refuseDuringRun(root)
  const { repo } = await foldersOf(root)
  const done = await rollBack(repo, name, { at: realClock().at() })
  await noteOwnChange(root, { ...whose, repo })
  return done
}

async function refuseDuringRun(root: string): Promise<void> {
  try {
    const holder = await withStore(root, ({ sql }) => holderOf(sql, root))
    if (holder === null) return
    throw new RalphError('held', `"${holder.command}" (process ${holder.pid}) is working in ${root}`, {
      hint: 'Stop it first: ralph stop',
    })
  } catch (error) {
    // A project that never ran has backups of the bash tool all the same.
    if (!(error instanceof RalphError) || error.code !== 'no-run') throw error
  }
}
