/** Features: a name, its documents, and the counts of its tasks by status. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import type { AcceptedTask } from '../../core/features/task-revision.ts'
import { featureNameProblem, ID_LENGTH } from '../../core/tasks/task-id.ts'
import type { Feature, FeatureId, NewFeature } from '../../core/tasks/task.ts'
import { randomId } from '../../system/clock.ts'
import type { Sql } from '../db/sql.ts'
import { FEATURE_SELECT_LIST } from './task-rows.ts'

/** By its id or its name. */
export async function findFeature(sql: Sql, said: string): Promise<Feature | null> {
  const row = await sql.get<Feature>(
    `select ${FEATURE_SELECT_LIST} from features where id = ? or name = ? order by case when id = ? then 0 else 1 end limit 1`,
    said,
    said,
    said,
  )
  return row === null ? null : { ...row }
}

/** In the order in which they were added. */
export async function listFeatures(sql: Sql): Promise<Feature[]> {
  const rows = await sql.all<Feature>(`select ${FEATURE_SELECT_LIST} from features order by n`)
  return rows.map((row) => ({ ...row }))
}

export async function addFeature(tx: Sql, feature: NewFeature, at: Instant): Promise<Feature> {
  const problem = featureNameProblem(feature.name)
  if (problem !== null) throw new RalphError('usage', `feature "${feature.name}" is not valid: ${problem}`)
  if ((await findFeature(tx, feature.name)) !== null)
    throw new RalphError('usage', `feature ${feature.name} already exists`)
  const last = await tx.get<{ n: number }>('select coalesce(max(n), 0) as n from features')
  const id = feature.id ?? (await generateFeatureId(tx))
  await tx.run(
    `insert into features (n, id, name, stage, spec, plan, tasks, done, failed, going, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?, ?)`,
    (last?.n ?? 0) + 1,
    id,
    feature.name,
    feature.stage,
    feature.spec,
    feature.plan,
    at,
    at,
  )
  const made = await findFeature(tx, id)
  if (made === null) throw new RalphError('bug', `feature ${id} was saved but cannot be read back`)
  return made
}

/** Updates the stage, the documents and the acceptance of a feature. */
export async function updateFeature(
  tx: Sql,
  id: FeatureId,
  { stage, spec, plan, accepted }: Pick<Feature, 'stage' | 'spec' | 'plan' | 'accepted'>,
  at: Instant,
): Promise<void> {
  await tx.run(
    'update features set stage = ?, spec = ?, plan = ?, accepted = ?, updated_at = ? where id = ?',
    stage,
    spec,
    plan,
    accepted,
    at,
    id,
  )
}

/** The tasks of the last accepted task file, by their keys in it. */
export async function loadAcceptedTasks(sql: Sql, feature: FeatureId): Promise<AcceptedTask[]> {
  const rows = await sql.all<AcceptedTask>(
    'select key, task, said from feature_tasks where feature = ? order by key',
    feature,
  )
  return rows.map(({ key, task, said }) => ({ key, task, said }))
}

export async function saveAcceptedTasks(tx: Sql, feature: FeatureId, tasks: AcceptedTask[]): Promise<void> {
  await tx.run('delete from feature_tasks where feature = ?', feature)
  for (const { key, task, said } of tasks)
    await tx.run('insert into feature_tasks (feature, key, task, said) values (?, ?, ?, ?)', feature, key, task, said)
}

/** Its tasks stay without a feature; the caller has deleted the unwanted ones. */
export async function removeFeature(tx: Sql, id: FeatureId): Promise<void> {
  await tx.run('delete from ready where scope = ?', `f:${id}`)
  await tx.run('update tasks set feature = null where feature = ?', id)
  await tx.run('delete from feature_tasks where feature = ?', id)
  await tx.run('delete from features where id = ?', id)
}

/** The feature with this name or id. An unknown name creates a feature; an unknown id is an error. */
export async function findOrAddFeature(
  tx: Sql,
  said: string,
  at: Instant,
): Promise<{ feature: Feature; made: boolean }> {
  const found = await findFeature(tx, said)
  if (found !== null) return { feature: found, made: false }
  if (said.startsWith('f-'))
    throw new RalphError('not-found', `there is no feature ${said}`, { hint: featureNamesText(await listFeatures(tx)) })
  const feature = await addFeature(tx, { id: null, name: said, stage: 'ready', spec: null, plan: null }, at)
  return { feature, made: true }
}

/** Limit of names in the text. */
const NAMED_MAX = 12

export function featureNamesText(features: Feature[]): string {
  if (features.length === 0) return 'There are no features yet. Create one: ralph task add "what to do" --feature NAME'
  const names = features.slice(0, NAMED_MAX).map(({ name }) => name)
  const more = features.length > NAMED_MAX ? ` and ${features.length - NAMED_MAX} more` : ''
  return `Features: ${names.join(', ')}${more}.`
}

async function generateFeatureId(tx: Sql): Promise<FeatureId> {
  for (;;) {
    const id = `f-${randomId(ID_LENGTH)}`
    if ((await findFeature(tx, id)) === null) return id
  }
}
