/**
 * Accepting a drafted document: all its tasks at once, or nothing. Only what was shown is accepted, so whoever asks hands over what they
 * read; a document or tasks that changed since are refused, to be shown again.
 */
import { RalphError } from '../../domain/error.ts'
import type { DraftTask } from '../../domain/feature/document.ts'
import { isError } from '../../domain/feature/critic.ts'
import { tasksOf } from '../../domain/feature/lay.ts'
import { paperPath } from '../../domain/feature/paper.ts'
import {
  draftsOf,
  rekeyed,
  saidOf,
  type AcceptedTask,
  type RevisedTask,
} from '../../domain/feature/revise.ts'
import type { Instant } from '../../domain/ids.ts'
import type { AutoChange, Feature, FeatureId, NewTask, TaskId } from '../../domain/task/task.ts'
import type { TaskName } from '../../domain/task/transition.ts'
import { realClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTasks, drawIds } from '../../store/task/add.ts'
import {
  acceptedTasks,
  addFeature,
  findFeature,
  setAcceptedTasks,
  setFeature,
} from '../../store/task/features.ts'
import { nodesOf } from '../../store/task/rows.ts'
import { readPaper } from '../../workspace/feature-papers.ts'
import { beginAt, type TaskPlace } from '../task/task-store.ts'
import { draftedIn, isRefused, type Drafted } from './drafted.ts'
import { fasten, loosen } from './revise-tasks.ts'

export interface Accepted {
  feature: Pick<Feature, 'id' | 'name'>
  /** In the order of the document. */
  added: RevisedTask[]
  changed: RevisedTask[]
  gone: RevisedTask[]
  /** Done, or above one that stays, so left as it is, though the document says otherwise. */
  stays: RevisedTask[]
  /** Keys of tasks that somebody deleted, which are not made again. */
  deleted: string[]
  /** Tasks of others that waited for one that is gone. */
  released: TaskName[]
  changes: AutoChange[]
}

/** Accepts what was shown. Errors are refused by whoever calls, too; warnings are a person's affair. */
export function accept(place: TaskPlace, drafted: Drafted): Promise<Accepted> {
  refuseErrors(drafted)
  return beginAt(place, (sql) =>
    sql.transaction(async (tx) => {
      const now = await draftedIn(tx, place.root, drafted.name)
      if (!isSame(now, drafted)) throw changedMeanwhile(drafted)
      const accepting = { drafted: now, root: place.root, at: realClock().at() }
      return acceptIn(tx, accepting).catch((error: unknown) => {
        throw cycleWithOthers(error, drafted)
      })
    }),
  )
}

function isSame(now: Drafted, shown: Drafted): boolean {
  const follows = ({ revision, waiting }: Drafted): string => JSON.stringify([revision, waiting])
  return now.digest === shown.digest && follows(now) === follows(shown)
}

/** The critic reads the document alone; an order that leads back through tasks of others is an error of it all the same. */
function cycleWithOthers(error: unknown, { name, path }: Drafted): unknown {
  if (!(error instanceof RalphError) || error.more?.facts?.['cycle'] === undefined) return error
  return new RalphError('bad-file', `${path} cannot be accepted as it is: ${error.message}`, {
    hint: `Mend it (ralph feature accept ${name}), or take an order of your own away: ralph task deps rm BLOCKER BLOCKED`,
    more: error.more,
  })
}

function changedMeanwhile({ name, path }: Drafted): RalphError {
  return new RalphError(
    'changed-meanwhile',
    `${path}, or what became of its tasks, changed after it was shown; nothing was accepted`,
    { hint: `Look at it again: ralph feature accept ${name}` },
  )
}

function refuseErrors(drafted: Drafted): void {
  if (!isRefused(drafted)) return
  const { name, path, problems, findings } = drafted
  const errors = findings.filter(isError)
  const lines = [...problems, ...errors.map(({ say, cure }) => `${say}. ${cure}`)]
  throw new RalphError('bad-file', `${path} cannot be accepted as it is`, {
    hint: `Mend it and try again: ralph feature accept ${name}. Or have it drafted anew: ralph feature reopen ${name} --from tasks`,
    more: { lines, facts: { problems, errors } },
  })
}

interface Accepting {
  drafted: Drafted
  root: string
  at: Instant
}

async function acceptIn(tx: Sql, { drafted, root, at }: Accepting): Promise<Accepted> {
  const { name, tasks, revision } = drafted
  const feature = await featureOf(tx, name, at)
  const before = rekeyed(tasks, await acceptedTasks(tx, feature.id))
  const ids = await idsOf(tx, before, revision.added)
  const layOut = (drafts: DraftTask[]): Map<TaskId, NewTask> =>
    new Map(
      tasksOf(drafts, { feature: name, idOf: (key) => ids.get(key) ?? null }).map((task) => [
        task.id ?? '',
        task,
      ]),
    )
  const laid = layOut(tasks)
  const accepted = new Set(before.map(({ task }) => task))
  const revising = { revision, laid, was: layOut(draftsOf(before)), accepted, at }
  const loosened = await loosen(tx, revising)
  const fresh = revision.added.flatMap((key) => laid.get(ids.get(key) ?? '') ?? [])
  const added = fresh.length === 0 ? null : await addTasks(tx, fresh, at)
  const fastened = await fasten(tx, revising)
  await setAcceptedTasks(tx, feature.id, acceptedNow(tasks, before, ids))
  await setFeature(
    tx,
    feature.id,
    { ...papersOf(root, feature), stage: 'ready', accepted: drafted.digest },
    at,
  )
  return {
    feature: { id: feature.id, name },
    added: tasks.flatMap(({ key, title }) =>
      revision.added.includes(key) ? [{ key, task: ids.get(key) ?? '', title }] : [],
    ),
    changed: revision.changed,
    gone: revision.gone,
    stays: revision.stays,
    deleted: revision.deleted,
    released: loosened.released,
    changes: elsewhere(
      [...loosened.changes, ...(added?.changes ?? []), ...fastened],
      [...accepted, ...laid.keys()],
    ),
  }
}

/** What followed for tasks of others; those of the document were told as such, and on the way here they went to and fro. */
function elsewhere(changes: AutoChange[], own: TaskId[]): AutoChange[] {
  const told = new Set(own)
  const features = new Map<FeatureId, AutoChange[]>()
  for (const change of changes)
    if ('feature' in change) features.set(change.feature, [...(features.get(change.feature) ?? []), change])
  return [
    ...changes.filter((change) => 'task' in change && !told.has(change.task)),
    ...[...features.values()].flatMap(inTheEnd),
  ]
}

/** Of what became of one feature on the way; open before and open now is nothing. */
function inTheEnd(turns: AutoChange[]): AutoChange[] {
  const isOpened = turns.at(-1)?.is === 'feature-healed'
  return isOpened && turns[0]?.is !== 'feature-healed' ? [] : turns.slice(-1)
}

async function featureOf(tx: Sql, name: string, at: Instant): Promise<Feature> {
  const found = await findFeature(tx, name)
  return found ?? addFeature(tx, { id: null, name, stage: 'draft', spec: null, plan: null }, at)
}

/** What every key means now; a key whose task was deleted means nothing. */
async function idsOf(tx: Sql, before: AcceptedTask[], added: string[]): Promise<Map<string, TaskId>> {
  const now = await nodesOf(
    tx,
    before.map(({ task }) => task),
  )
  const alive = before.filter(({ task }) => now.get(task)?.archivedAt === null)
  const drawn = await drawIds(tx, added.length)
  return new Map([
    ...alive.map(({ key, task }): [string, TaskId] => [key, task]),
    ...added.map((key, i): [string, TaskId] => [key, drawn[i] ?? '']),
  ])
}

/** A key whose task was deleted keeps it: it is not made again. */
function acceptedNow(tasks: DraftTask[], before: AcceptedTask[], ids: Map<string, TaskId>): AcceptedTask[] {
  const was = new Map(before.map(({ key, task }) => [key, task]))
  return tasks.map((task) => ({
    key: task.key,
    task: ids.get(task.key) ?? was.get(task.key) ?? '',
    said: saidOf(task),
  }))
}

/** Those that lie there; else what was known of them, which may be elsewhere. */
function papersOf(root: string, { name, spec, plan }: Feature): Pick<Feature, 'spec' | 'plan'> {
  const isThere = (kind: 'spec' | 'plan'): boolean => readPaper(root, name, kind).is === 'read'
  return {
    spec: isThere('spec') ? paperPath(name, 'spec') : spec,
    plan: isThere('plan') ? paperPath(name, 'plan') : plan,
  }
}
