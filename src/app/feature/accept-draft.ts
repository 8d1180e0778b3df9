/**
 * Accepts a drafted document: all its tasks or none. Callers pass the document they showed; if the document or its tasks changed since,
 * nothing is accepted and it must be shown again.
 */
import { RalphError } from '../../core/error.ts'
import type { DraftTask } from '../../core/features/task-file.ts'
import { isTaskFileError } from '../../core/features/validate-draft-tasks.ts'
import { newTasksFrom } from '../../core/features/to-new-tasks.ts'
import { featureDocumentPath } from '../../core/features/documents.ts'
import {
  parseAcceptedTasks,
  rekeyAcceptedTasks,
  serializeDraftTask,
  type AcceptedTask,
  type RevisedTask,
  type TaskRevision,
} from '../../core/features/task-revision.ts'
import type { Instant } from '../../core/ids.ts'
import type { DerivedChange, Feature, FeatureId, NewTask, TaskId } from '../../core/tasks/task.ts'
import type { TaskRef } from '../../core/tasks/transition.ts'
import { systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTasks, generateTaskIds } from '../../store/task/add-tasks.ts'
import { loadAcceptedTasks, saveAcceptedTasks, updateFeature } from '../../store/task/features.ts'
import { loadTaskNodes } from '../../store/task/task-rows.ts'
import { readFeatureDocument } from '../../workspace/feature-documents.ts'
import { useOrCreateStore, type StoreLocation } from '../task/task-store.ts'
import { ensureFeature } from './prepare-draft.ts'
import { loadTaskDraft, hasDraftErrors, type TaskDraft } from './task-draft.ts'
import { updateRevisedTasks, detachRevisedTasks } from './revise-tasks.ts'

/** What became of the document's tasks, each list in its order. */
export interface AcceptDraftResult extends Omit<TaskRevision, 'added'> {
  feature: Pick<Feature, 'id' | 'name'>
  added: RevisedTask[]
  /** Tasks of other features whose blocker was deleted. */
  released: TaskRef[]
  changes: DerivedChange[]
}

/** Accepts the document that was shown. Errors prevent it; warnings are for a person to decide about. */
export function acceptDraft(location: StoreLocation, drafted: TaskDraft): Promise<AcceptDraftResult> {
  refuseErrors(drafted)
  return useOrCreateStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const now = await loadTaskDraft(tx, location.root, drafted.name)
      if (!isSame(now, drafted)) throw changedMeanwhile(drafted)
      const accepting = { drafted: now, root: location.root, at: systemClock().at() }
      return acceptInTransaction(tx, accepting).catch((error: unknown) => {
        throw cycleWithOthers(error, drafted)
      })
    }),
  )
}

function isSame(now: TaskDraft, shown: TaskDraft): boolean {
  const follows = ({ revision, waiting }: TaskDraft): string => JSON.stringify([revision, waiting])
  return now.digest === shown.digest && follows(now) === follows(shown)
}

/** The validator reads only the document, so a cycle through tasks of other features shows up only here. */
function cycleWithOthers(error: unknown, { path }: TaskDraft): unknown {
  if (!(error instanceof RalphError) || error.more?.facts?.['cycle'] === undefined) return error
  return new RalphError('bad-file', `${path} cannot be accepted: ${error.message}`, {
    hint: 'Fix it and accept it again, or remove a dependency you added: ralph task deps rm BLOCKER BLOCKED',
    more: error.more,
  })
}

function changedMeanwhile({ name, path }: TaskDraft): RalphError {
  return new RalphError('changed-meanwhile', `${path} changed after you saw it; nothing was accepted`, {
    hint: `Review it again: ralph feature accept ${name}`,
  })
}

function refuseErrors(drafted: TaskDraft): void {
  if (!hasDraftErrors(drafted)) return
  const { name, path, problems, findings } = drafted
  const errors = findings.filter(isTaskFileError)
  const lines = [...problems, ...errors.map(({ say, fix }) => `${say}. ${fix}`)]
  throw new RalphError('bad-file', `${path} cannot be accepted`, {
    hint: `Fix it and try again: ralph feature accept ${name}. Or draft it again: ralph feature reopen ${name} --from tasks`,
    more: { lines, facts: { problems, errors } },
  })
}

interface Accepting {
  drafted: TaskDraft
  root: string
  at: Instant
}

async function acceptInTransaction(tx: Sql, { drafted, root, at }: Accepting): Promise<AcceptDraftResult> {
  const { name, tasks, revision } = drafted
  const { changed, gone, stays, deleted } = revision
  const feature = await ensureFeature(tx, name, at)
  const before = rekeyAcceptedTasks(tasks, await loadAcceptedTasks(tx, feature.id))
  const ids = await idsOf(tx, before, revision.added)
  const layOut = (drafts: DraftTask[]): Map<TaskId, NewTask> =>
    new Map(
      newTasksFrom(drafts, { feature: name, idOf: (key) => ids.get(key) ?? null }).map((task) => [task.id ?? '', task]),
    )
  const laid = layOut(tasks)
  const accepted = new Set(before.map(({ task }) => task))
  const revising = { revision, laid, was: layOut(parseAcceptedTasks(before)), accepted, at }
  const loosened = await detachRevisedTasks(tx, revising)
  const fresh = revision.added.flatMap((key) => laid.get(ids.get(key) ?? '') ?? [])
  const added = fresh.length === 0 ? null : await addTasks(tx, fresh, at)
  const fastened = await updateRevisedTasks(tx, revising)
  await saveAcceptedTasks(tx, feature.id, acceptedNow(tasks, before, ids))
  await updateFeature(tx, feature.id, { ...documentsOf(root, feature), stage: 'ready', accepted: drafted.digest }, at)
  return {
    feature: { id: feature.id, name },
    added: tasks.flatMap(({ key, title }) =>
      revision.added.includes(key) ? [{ key, task: ids.get(key) ?? '', title }] : [],
    ),
    changed,
    gone,
    stays,
    deleted,
    released: loosened.released,
    changes: changesInOtherFeatures(
      [...loosened.changes, ...(added?.changes ?? []), ...fastened],
      [...accepted, ...laid.keys()],
    ),
  }
}

/** What followed for tasks of other features. The document's own tasks are reported separately and change several times here. */
function changesInOtherFeatures(changes: DerivedChange[], own: TaskId[]): DerivedChange[] {
  const told = new Set(own)
  const features = new Map<FeatureId, DerivedChange[]>()
  for (const change of changes)
    if ('feature' in change) features.set(change.feature, [...(features.get(change.feature) ?? []), change])
  return [
    ...changes.filter((change) => 'task' in change && !told.has(change.task)),
    ...[...features.values()].flatMap(netFeatureChange),
  ]
}

/** The last status change of one feature; nothing if it was open before and is open now. */
function netFeatureChange(turns: DerivedChange[]): DerivedChange[] {
  const isOpened = turns.at(-1)?.is === 'feature-healed'
  return isOpened && turns[0]?.is !== 'feature-healed' ? [] : turns.slice(-1)
}

/** The task of every key; a key whose task was deleted has none. */
async function idsOf(tx: Sql, before: AcceptedTask[], added: string[]): Promise<Map<string, TaskId>> {
  const now = await loadTaskNodes(
    tx,
    before.map(({ task }) => task),
  )
  const alive = before.filter(({ task }) => now.get(task)?.archivedAt === null)
  const drawn = await generateTaskIds(tx, added.length)
  return new Map([
    ...alive.map(({ key, task }): [string, TaskId] => [key, task]),
    ...added.map((key, i): [string, TaskId] => [key, drawn[i] ?? '']),
  ])
}

/** A key whose task was deleted keeps that task, so it is not created again. */
function acceptedNow(tasks: DraftTask[], before: AcceptedTask[], ids: Map<string, TaskId>): AcceptedTask[] {
  const was = new Map(before.map(({ key, task }) => [key, task]))
  return tasks.map((task) => ({
    key: task.key,
    task: ids.get(task.key) ?? was.get(task.key) ?? '',
    said: serializeDraftTask(task),
  }))
}

/** The documents in the feature's own folder; else the paths stored before, which may be elsewhere. */
function documentsOf(root: string, { name, spec, plan }: Feature): Pick<Feature, 'spec' | 'plan'> {
  const isThere = (kind: 'spec' | 'plan'): boolean => readFeatureDocument(root, name, kind).is === 'read'
  return {
    spec: isThere('spec') ? featureDocumentPath(name, 'spec') : spec,
    plan: isThere('plan') ? featureDocumentPath(name, 'plan') : plan,
  }
}
