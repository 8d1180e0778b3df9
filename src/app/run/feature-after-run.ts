/** What happened to the feature of a run after the run ended: the advice given at its end may be done or obsolete. */
import { join } from 'node:path'
import { featureFolder } from '../../core/features/documents.ts'
import type { Outcome } from '../../core/state/outcome.ts'
import type { StartCommand } from '../../core/state/start-command.ts'
import type { FeatureAfterRun } from '../../core/presentation/advice.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findFeature } from '../../store/task/features.ts'
import { findTask } from '../../store/task/find-task.ts'
import { exists } from '../../system/files/files.ts'

export async function findFeatureAfterRun(
  sql: Sql,
  { root, start, outcome }: { root: string; start: StartCommand; outcome: Outcome | null },
): Promise<FeatureAfterRun | null> {
  const { name: command, target: name } = start
  if (outcome === null || name === null || !['run', 'feature create'].includes(command)) return null
  const feature = await findFeature(sql, name)
  if (command === 'run') {
    const isThere = feature !== null || (await findTask(sql, name)) !== null
    return isThere ? null : { is: 'gone', name }
  }
  if (outcome.is !== 'drafted') return null
  if (feature === null) return exists(join(root, featureFolder(name))) ? null : { is: 'gone', name }
  return feature.accepted === null ? null : { is: 'accepted', name: feature.name }
}
