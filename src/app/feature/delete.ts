/**
 * Deletes a feature: its open tasks are deleted, done ones stay without a feature, and its documents are moved to a backup.
 * Like every deletion it needs a confirmation of what was shown.
 */
import { RalphError } from '../../core/error.ts'
import { featureFolderNameProblem } from '../../core/tasks/task-id.ts'
import type { Instant } from '../../core/ids.ts'
import type { FeatureId, TaskId } from '../../core/tasks/task.ts'
import type { TaskRef } from '../../core/tasks/transition.ts'
import { howToFreeTask, describeTask } from '../../core/tasks/task-text.ts'
import { plural } from '../../core/text/format-amounts.ts'
import { systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { removeFeature } from '../../store/task/features.ts'
import { findTask } from '../../store/task/find-task.ts'
import { taskTree } from '../../store/task/list-tasks.ts'
import { removeTask } from '../../store/task/remove-task.ts'
import { featureFolders, assertFeatureMovable, moveDocumentsToDeleted } from '../../workspace/feature-documents.ts'
import { applyIfConfirmed, type Confirmation, type ChangeAttempt } from '../task/confirmed-change.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'
import { externalDocumentsOf } from './copy-documents.ts'
import { findFeatureOrFolder, refuseWhileDrafting, requireFeatureFolderName } from './features.ts'

export interface FeatureRemoval {
  id: FeatureId | null
  name: string
  /** Its tasks: deleted, archived with their log, and done ones that stay. */
  removed: TaskId[]
  archived: TaskId[]
  stay: TaskId[]
  /** Tasks of other features whose blocker was one of them. */
  released: TaskRef[]
  /** It has documents. */
  documents: boolean
  /** Documents of an earlier tool at other paths; they stay there. */
  elsewhere: string[]
}

export interface DeletedFeature extends FeatureRemoval {
  /** Where its documents are now; null: it had none. */
  backup: string | null
}

/** `applied` false: nothing was changed, and the result says what would be. */
export async function deleteFeature(
  location: StoreLocation,
  said: string,
  { unblock, confirmed }: { unblock: boolean; confirmed: Confirmation<FeatureRemoval> },
): Promise<ChangeAttempt<DeletedFeature>> {
  const at = systemClock().at()
  const { root } = location
  const removed = await useStoreIfAny(location, (sql) =>
    applyIfConfirmed(sql, (tx) => removeInTransaction(tx, { root, said, unblock, at }), {
      confirmed,
      isHarmless: () => false,
    }),
  )
  const { applied, what } = removed ?? {
    applied: confirmed !== 'harmless',
    what: documentsOnlyRemoval(requireFeatureFolderName(root, said, [])),
  }
  return { applied, what: { ...what, backup: applied && what.documents ? backUpDocuments(root, what, at) : null } }
}

/** Runs after the transaction, which may be retried. If moving the documents fails, the error says that the feature is deleted already. */
function backUpDocuments(root: string, { id, name }: FeatureRemoval, at: Instant): string | null {
  try {
    return moveDocumentsToDeleted(root, name, at)
  } catch (error) {
    if (!(error instanceof RalphError) || id === null) throw error
    throw new RalphError(
      error.code,
      `feature ${name} is deleted, but its documents are still there: ${error.message}`,
      {
        hint: `${error.hint ?? ''} Then: ralph feature delete ${name}`.trimStart(),
        cause: error,
      },
    )
  }
}

interface Removing {
  root: string
  said: string
  unblock: boolean
  at: Instant
}

async function removeInTransaction(tx: Sql, { root, said, unblock, at }: Removing): Promise<FeatureRemoval> {
  const known = await findFeatureOrFolder(tx, root, said)
  await refuseWhileDrafting(tx, root, known.name)
  if (featureFolderNameProblem(known.name) === null) assertFeatureMovable(root, known.name)
  if (known.is === 'loose') return documentsOnlyRemoval(known.name)
  const { id, name } = known.feature
  const tree = (await taskTree(tx, { is: 'feature', feature: id })).map(({ task }) => task)
  const held = tree.find(({ claimedBy }) => claimedBy !== null)
  if (held !== undefined)
    throw new RalphError(
      'held',
      `feature ${name} cannot be deleted: ${describeTask({ task: held.id, title: held.title })} is being worked on by ${held.claimedBy ?? ''}`,
      { hint: howToFreeTask(held.id) },
    )
  const own = new Set(tree.map((task) => task.id))
  const removed: FeatureRemoval = {
    ...documentsOnlyRemoval(name),
    id,
    documents: featureFolders(root).includes(name),
    elsewhere: externalDocumentsOf(root, known.feature).map(({ from }) => from),
  }
  // Children before their parents: a parent is deleted if nothing below it is left, and stays if a task below it is done.
  for (const { id: task } of tree.toReversed()) {
    const now = await findTask(tx, task)
    if (now === null || now.children > 0 || now.status === 'done') {
      removed.stay.push(task)
      continue
    }
    const one = await removeTask(tx, task, { unblock: true, at })
    removed.removed.push(...one.removed)
    removed.archived.push(...one.archived)
    removed.released.push(...one.released.filter((other) => !own.has(other.id)))
  }
  if (!unblock) refuseWaiting(name, removed.released)
  await removeFeature(tx, id)
  return removed
}

function documentsOnlyRemoval(name: string): FeatureRemoval {
  return { id: null, name, removed: [], archived: [], stay: [], released: [], documents: true, elsewhere: [] }
}

const NAMED_MAX = 6

function refuseWaiting(name: string, waiting: TaskRef[]): void {
  if (waiting.length === 0) return
  const lines = waiting.slice(0, NAMED_MAX).map(({ id, title }) => `${id}  ${title}`)
  if (waiting.length > NAMED_MAX) lines.push(`and ${waiting.length - NAMED_MAX} more`)
  throw new RalphError(
    'usage',
    `feature ${name} cannot be deleted: ${plural(waiting.length, 'other task')} would wait for it forever`,
    {
      hint: `Remove the dependencies on it too: ralph feature delete ${name} --unblock`,
      more: { lines, facts: { waiting: waiting.map(({ id }) => id) } },
    },
  )
}
