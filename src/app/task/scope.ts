/** Resolves the scope of a name: a feature, a task, or everything. A feature's name takes precedence over a prefix of a task id. */
import { RalphError } from '../../core/error.ts'
import type { Feature, TaskScope } from '../../core/tasks/task.ts'
import { quoteShellWord } from '../../core/text/shell.ts'
import { suggest } from '../../core/text/suggest.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findFeature, featureNamesText, listFeatures } from '../../store/task/features.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { useStoreIfAny } from './task-store.ts'

export async function findScope(root: string, target: string | null): Promise<TaskScope> {
  if (target === null) return { is: 'all' }
  try {
    const found = await useStoreIfAny({ root, notice: () => {} }, async (sql) => {
      const feature = await featureNamed(sql, target)
      if (feature?.tasks === 0) await refuseUnaccepted(root, feature.name)
      return resolveScope(sql, target)
    })
    if (found === null) throw unknownTarget(target, [])
    return found
  } catch (error) {
    if (error instanceof RalphError && error.code === 'not-found') await refuseUnaccepted(root, target)
    throw error
  }
}

/** Documents without an accepted task file are listed as a feature, but have no tasks. */
async function refuseUnaccepted(root: string, name: string): Promise<void> {
  const { featureFolders } = await import('../../workspace/feature-documents.ts')
  if (!featureFolders(root).includes(name)) return
  throw new RalphError('not-found', `feature ${name} has documents but no tasks yet`, {
    hint: `Show it: ralph feature show ${name}. Add its tasks: ralph feature accept ${name}`,
  })
}

export async function resolveScope(sql: Sql, target: string): Promise<TaskScope> {
  const feature = await featureNamed(sql, target)
  if (feature !== null) return { is: 'feature', feature: feature.id }
  try {
    const task = await findTaskByPrefix(sql, target)
    if (task.archivedAt === null) return { is: 'task', task: task.id }
    throw new RalphError('usage', `task ${task.id} was deleted`, { hint: `See its log: ralph task log ${task.id}` })
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== 'not-found') throw error
    throw unknownTarget(target, await listFeatures(sql))
  }
}

/** An existing feature; a typing error does not create a new one. */
export async function requireFeature(sql: Sql, said: string): Promise<Feature> {
  const found = await featureNamed(sql, said)
  if (found !== null) return found
  const features = await listFeatures(sql)
  throw notThere(`there is no feature ${said}`, said, { features, otherwise: featureNamesText(features) })
}

/** By name, by id, or by a unique prefix of the id. */
async function featureNamed(sql: Sql, said: string): Promise<Feature | null> {
  const exact = await findFeature(sql, said)
  if (exact !== null || !said.startsWith('f-')) return exact
  const begun = (await listFeatures(sql)).filter(({ id }) => id.startsWith(said))
  if (begun.length < 2) return begun[0] ?? null
  throw new RalphError('usage', `"${said}" matches several features`, {
    hint: 'Type more of its id, or its name.',
    more: { lines: begun.map(({ id, name }) => `${id}  ${name}`), facts: { features: begun.map(({ id }) => id) } },
  })
}

function unknownTarget(target: string, features: Feature[]): RalphError {
  const what = `there is no feature or task ${target}`
  return notThere(what, target, {
    features,
    otherwise: isSentence(target)
      ? `To add it as a task: ralph task add ${quoteShellWord(target)}`
      : 'List them: ralph task',
  })
}

/** A goal rather than a name. */
function isSentence(target: string): boolean {
  return /\S\s+\S/.test(target)
}

function notThere(
  what: string,
  said: string,
  { features, otherwise }: { features: Feature[]; otherwise: string },
): RalphError {
  const near = suggest(
    said,
    features.map(({ name }) => name),
  )
  return new RalphError('not-found', what, { hint: near === null ? otherwise : `Did you mean ${near}?` })
}
