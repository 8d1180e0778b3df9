/** A feature's task file ready to be accepted: its tasks, the findings of the validator, and what accepting it would change. */
import { RalphError } from '../../core/error.ts'
import { validateDraftTasks, isTaskFileError, type TaskFileProblem } from '../../core/features/validate-draft-tasks.ts'
import { parseTaskFile, type DraftTask } from '../../core/features/task-file.ts'
import { featureFolderNameProblem } from '../../core/tasks/task-id.ts'
import {
  rekeyAcceptedTasks,
  planTaskRevision,
  type AcceptedTask,
  type RevisedTask,
  type TaskRevision,
} from '../../core/features/task-revision.ts'
import { assertNever } from '../../core/assert-never.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import type { TaskRef, TaskNode } from '../../core/tasks/transition.ts'
import { clip, escapeInvisible } from '../../core/text/sanitize.ts'
import { hashText } from '../../system/files/files.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadAcceptedTasks, findFeature } from '../../store/task/features.ts'
import { loadEdges, loadTaskNodes } from '../../store/task/task-rows.ts'
import { featureFolders, REPLACE_LINK_HINT, readFeatureDocument } from '../../workspace/feature-documents.ts'
import { requireFeature } from '../task/scope.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'
import { keepNeededParents } from './revise-tasks.ts'

export interface TaskDraft {
  /** The feature's name. */
  name: string
  /** The document's path in the project. */
  path: string
  /** The hash of the text that was read: only the text that was shown can be accepted. */
  digest: string
  tasks: DraftTask[]
  /** Why it cannot be parsed; then nothing else is known. */
  problems: string[]
  findings: TaskFileProblem[]
  /** The difference from what was accepted before; everything is new if nothing was. */
  revision: TaskRevision
  /** Tasks of other features that wait for a task which would be deleted. */
  waiting: TaskRef[]
  /** A document was already accepted. */
  wasAccepted: boolean
}

/** By the feature's name or id. Throws if there is no document. */
export async function readTaskDraft(location: StoreLocation, said: string): Promise<TaskDraft> {
  const { root } = location
  const draft = await useStoreIfAny(location, async (sql) => loadTaskDraft(sql, root, await nameFor(sql, said)))
  return draft ?? parseTaskDraft(root, said)
}

export async function loadTaskDraft(sql: Sql, root: string, name: string): Promise<TaskDraft> {
  const feature = await findFeature(sql, name)
  if (feature === null) return parseTaskDraft(root, name)
  const before = await loadAcceptedTasks(sql, feature.id)
  const now = await loadTaskNodes(
    sql,
    before.map(({ task }) => task),
  )
  const drafted = parseTaskDraft(root, name, { before, now })
  const revision = await keepNeededParents(sql, drafted.revision)
  const waiting = await waitingFor(sql, revision.gone, before)
  return { ...drafted, revision, waiting, wasAccepted: feature.accepted !== null }
}

async function waitingFor(sql: Sql, gone: RevisedTask[], accepted: AcceptedTask[]): Promise<TaskRef[]> {
  const edges = await loadEdges(
    sql,
    'blocker',
    gone.map(({ task }) => task),
  )
  const own = new Set(accepted.map(({ task }) => task))
  const others = await loadTaskNodes(
    sql,
    edges.map(({ blocked }) => blocked).filter((blocked) => !own.has(blocked)),
  )
  return [...others.values()].map(({ id, title }) => ({ id, title }))
}

/** Errors of the validator, or problems of the document: it cannot be accepted. */
export function hasDraftErrors({ problems, findings }: TaskDraft): boolean {
  return problems.length > 0 || findings.some(isTaskFileError)
}

async function nameFor(sql: Sql, said: string): Promise<string> {
  const found = await findFeature(sql, said)
  // Also accepts an id; no feature name begins like one.
  return found === null && said.startsWith('f-') ? (await requireFeature(sql, said)).name : (found?.name ?? said)
}

/** `before`: the accepted tasks; `now`: their current state. */
function parseTaskDraft(
  root: string,
  name: string,
  { before, now }: { before: AcceptedTask[]; now: Map<TaskId, TaskNode> } = { before: [], now: new Map() },
): TaskDraft {
  const { path, text } = documentText(root, name)
  const { tasks, problems } = parseTaskFile(text)
  const read = problems.length > 0 ? [] : tasks
  return {
    name,
    path,
    digest: hashText(text),
    tasks,
    problems,
    findings: validateDraftTasks(read),
    revision: planTaskRevision(read, rekeyAcceptedTasks(read, before), now),
    waiting: [],
    wasAccepted: false,
  }
}

function documentText(root: string, name: string): { path: string; text: string } {
  checkFeatureName(name)
  refuseCaseConflict(root, name)
  const document = readFeatureDocument(root, name, 'tasks')
  switch (document.is) {
    case 'read':
      return document
    case 'missing':
      throw new RalphError('not-found', `feature ${name} has no task file: ${document.path} does not exist`, {
        // Without a folder nobody has described the feature yet.
        hint: `Draft it: ralph feature create ${name}${featureFolders(root).includes(name) ? '' : ' "what I want"'}`,
      })
    case 'unread':
      throw new RalphError('bad-file', `${document.path} cannot be read: ${document.why}`, {
        hint: document.isLink
          ? REPLACE_LINK_HINT
          : `Fix it, or draft it again: ralph feature reopen ${name} --from tasks`,
      })
    default:
      return assertNever(document)
  }
}

/** Refuses names that cannot be a folder of their own. */
export function checkFeatureName(name: string): void {
  const problem = featureFolderNameProblem(name)
  if (problem === null) return
  throw new RalphError('usage', `"${escapeInvisible(clip(name, 60))}" is not a valid feature name: ${problem}`, {
    hint: 'For example: ralph feature create photo-names "rename photos by date"',
  })
}

/** Names that differ only in case are one folder on many disks: the documents of one feature would become tasks of both. */
export function refuseCaseConflict(root: string, name: string): void {
  const folders = featureFolders(root)
  const twin = folders.find((other) => other.toLowerCase() === name.toLowerCase())
  if (twin === undefined || folders.includes(name)) return
  throw new RalphError(
    'usage',
    `"${name}" is too similar to ${twin}: some file systems cannot tell their folders apart`,
    { hint: `Did you mean ${twin}? Otherwise choose a name that differs by more than upper and lower case.` },
  )
}
