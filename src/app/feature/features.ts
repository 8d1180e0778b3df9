/** Features for a list or a single view: the status of their tasks, their documents, and what to do next. */
import { RalphError } from '../../core/error.ts'
import { FEATURE_DOCUMENTS, documentProblems, type FeatureDocumentKind } from '../../core/features/documents.ts'
import { assertNever } from '../../core/assert-never.ts'
import { featureStatus, type FeatureStatus } from '../../core/tasks/rollup.ts'
import type { Instant } from '../../core/ids.ts'
import type { Feature, FeatureId, TaskCounts } from '../../core/tasks/task.ts'
import { quoteShellWord } from '../../core/text/shell.ts'
import { clip, escapeInvisible } from '../../core/text/sanitize.ts'
import { suggest } from '../../core/text/suggest.ts'
import { isoTime } from '../../system/clock.ts'
import { hashText } from '../../system/files/files.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { loadUnfinishedRun } from '../../store/runs.ts'
import { countTasks } from '../../store/task/task-counts.ts'
import { findFeature, featureNamesText, listFeatures } from '../../store/task/features.ts'
import {
  findFeaturesLink,
  featureFolders,
  REPLACE_LINK_HINT,
  readFeatureDocument,
  readDocumentAt,
  type DocumentReadResult,
} from '../../workspace/feature-documents.ts'
import { featureFolderNameProblem } from '../../core/tasks/task-id.ts'
import { requireFeature } from '../task/scope.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'

export interface FeatureFacts {
  /** Null: only documents exist, from the repository or written by hand; the store has no such feature. */
  id: string | null
  name: string
  status: FeatureStatus
  stage: Feature['stage']
  /** Its leaves, and how many of them have which status. */
  tasks: number
  done: number
  failed: number
  running: number
  documents: DocumentFacts[]
  /** Its task file is the one that was accepted. */
  accepted: boolean
  created_at: string | null
  updated_at: string | null
  /** The command to type next. */
  next: string | null
}

export interface DocumentFacts {
  document: FeatureDocumentKind
  path: string
  is: 'whole' | 'unfinished' | 'missing' | 'unread'
  /** What is wrong with the document. */
  problems: string[]
}

export async function listFeatureFacts(location: StoreLocation): Promise<FeatureFacts[]> {
  const { root } = location
  warnAboutLink(location)
  const all = await useStoreIfAny(location, async (sql) => {
    const known = await listFeatures(sql)
    const names = new Set(known.map(({ name }) => name))
    const loose = featureFolderNames(root).filter((name) => !names.has(name))
    const isBusy = (await lockOwnerOf(sql, root)) !== null
    const rows = []
    for (const feature of known) rows.push(factsOf(root, feature, { isBusy, counts: await countsOf(sql, feature) }))
    return [...rows, ...loose.map((name) => factsOf(root, looseFeature(name), { isBusy, counts: null }))]
  })
  return all ?? featureFolderNames(root).map((name) => factsOf(root, looseFeature(name), IDLE))
}

/** By name or id; documents without a feature in the store are found by their folder. */
export async function loadFeatureFacts(location: StoreLocation, said: string): Promise<FeatureFacts> {
  const { root } = location
  warnAboutLink(location)
  const facts = await useStoreIfAny(location, async (sql) => {
    const known = await findFeatureOrFolder(sql, root, said)
    const isBusy = (await lockOwnerOf(sql, root)) !== null
    if (known.is === 'loose') return factsOf(root, looseFeature(known.name), { isBusy, counts: null })
    return factsOf(root, known.feature, { isBusy, counts: await countsOf(sql, known.feature) })
  })
  return facts ?? factsOf(root, looseFeature(requireFeatureFolderName(root, said, [])), IDLE)
}

function countsOf(sql: Sql, { id }: Feature): Promise<TaskCounts> {
  return countTasks(sql, { is: 'feature', feature: id })
}

function warnAboutLink({ root, notice }: StoreLocation): void {
  const link = findFeaturesLink(root)
  if (link !== null) notice(`${link} is a symbolic link, so Ralph ignores the documents there. ${REPLACE_LINK_HINT}`)
}

/** A feature of the store, or a folder with documents only. */
export type FeatureOrFolder = { is: 'row'; feature: Feature; name: string } | { is: 'loose'; name: string }

export async function findFeatureOrFolder(sql: Sql, root: string, said: string): Promise<FeatureOrFolder> {
  const exact = await findFeature(sql, said)
  if (exact !== null) return { is: 'row', feature: exact, name: exact.name }
  if (featureFolderNames(root).includes(said)) return { is: 'loose', name: said }
  if (!said.startsWith('f-'))
    return { is: 'loose', name: requireFeatureFolderName(root, said, await listFeatures(sql)) }
  const feature = await requireFeature(sql, said)
  return { is: 'row', feature, name: feature.name }
}

export function requireFeatureFolderName(root: string, said: string, known: Feature[]): string {
  const loose = featureFolderNames(root)
  if (loose.includes(said)) return said
  const near = suggest(clip(said, 64), [...known.map(({ name }) => name), ...loose])
  throw new RalphError('not-found', `there is no feature ${escapeInvisible(clip(said, 64))}`, {
    hint:
      near !== null
        ? `Did you mean ${near}?`
        : known.length > 0
          ? featureNamesText(known)
          : 'Start one: ralph feature create NAME "what I want"',
  })
}

function featureFolderNames(root: string): string[] {
  return featureFolders(root).filter((name) => featureFolderNameProblem(name) === null)
}

/** While a run drafts a feature, nothing else may change its documents. */
export async function refuseWhileDrafting(sql: Sql, root: string, name: string): Promise<void> {
  const lockOwner = await lockOwnerOf(sql, root)
  // The lock owner's row does not name the run, because it was written before the run existed.
  if (lockOwner === null || (await loadUnfinishedRun(sql, root))?.kind !== 'feature') return
  throw new RalphError(
    'held',
    `"${lockOwner.command}" (process ${lockOwner.pid}) is drafting in ${root}, so ${name} was not changed`,
    {
      hint: 'Stop it first: ralph stop',
    },
  )
}

interface Now {
  /** A run is active in this project, so no other can start. */
  isBusy: boolean
  /** Null: it has no tasks. */
  counts: TaskCounts | null
}

const IDLE: Now = { isBusy: false, counts: null }

/** A feature of the store, or what is known of a folder with documents only. */
type ListedFeature = Omit<Feature, 'id' | 'n' | 'createdAt' | 'updatedAt'> & {
  id: FeatureId | null
  createdAt: Instant | null
  updatedAt: Instant | null
}

function looseFeature(name: string): ListedFeature {
  const counts = { tasks: 0, done: 0, failed: 0, going: 0 }
  const documents = { spec: null, plan: null, accepted: null }
  return { id: null, name, stage: 'draft', ...documents, ...counts, createdAt: null, updatedAt: null }
}

function factsOf(root: string, feature: ListedFeature, now: Now): FeatureFacts {
  const { id, name, stage, tasks, done, failed, going, createdAt, updatedAt } = feature
  const there = documentsOf(root, feature)
  const document = there.tasks
  const facts = {
    id,
    name,
    status: featureStatus(feature),
    stage,
    tasks,
    done,
    failed,
    running: going,
    documents: FEATURE_DOCUMENTS.map((document) => documentFacts(document, there[document])),
    accepted: feature.accepted !== null && document.is === 'read' && hashText(document.text) === feature.accepted,
    created_at: createdAt === null ? null : isoTime(createdAt),
    updated_at: updatedAt === null ? null : isoTime(updatedAt),
  }
  return { ...facts, next: nextFor(facts, now, there) }
}

/** Also finds documents that an earlier tool stored elsewhere, and those of a feature whose name is no valid folder name. */
function documentsOf(
  root: string,
  { name, spec, plan }: ListedFeature,
): Record<FeatureDocumentKind, DocumentReadResult> {
  const isFolder = featureFolderNameProblem(name) === null
  const own = (document: FeatureDocumentKind): DocumentReadResult =>
    isFolder ? readFeatureDocument(root, name, document) : { is: 'missing', path: '' }
  const at = (document: 'spec' | 'plan', path: string | null): DocumentReadResult => {
    const found = own(document)
    return found.is === 'missing' && path !== null && path !== found.path ? readDocumentAt(root, path, document) : found
  }
  return { spec: at('spec', spec), plan: at('plan', plan), tasks: own('tasks') }
}

function documentFacts(document: FeatureDocumentKind, there: DocumentReadResult): DocumentFacts {
  const { path } = there
  switch (there.is) {
    case 'missing':
      return { document, path, is: 'missing', problems: [] }
    case 'unread':
      return { document, path, is: 'unread', problems: [there.why] }
    case 'read': {
      const problems = documentProblems(document, there.text)
      return { document, path, is: problems.length === 0 ? 'whole' : 'unfinished', problems }
    }
    default:
      return assertNever(there)
  }
}

/** One command to continue with; null: there is nothing to do. */
function nextFor(
  { name, stage, tasks, documents, accepted }: Omit<FeatureFacts, 'next'>,
  { isBusy, counts }: Now,
  there: Record<FeatureDocumentKind, DocumentReadResult>,
): string | null {
  const document = documents.find(({ document }) => document === 'tasks')
  if (document?.is === 'whole' && !accepted) return `ralph feature accept ${name}`
  if (tasks > 0 && stage === 'ready' && counts !== null) return nextOfTasks(name, counts, isBusy)
  // No draft is possible, because its name is no valid folder name; its tasks refer to the documents of the earlier tool.
  if (featureFolderNameProblem(name) !== null)
    return counts !== null && counts.all > 0
      ? nextOfTasks(name, counts, isBusy)
      : `ralph task add "what to do" --feature ${quoteShellWord(name)}`
  // The run may be writing these documents.
  if (isBusy) return LOOK
  for (const document of FEATURE_DOCUMENTS) {
    const one = there[document]
    // A draft does not overwrite it while it exists; a link can only be removed by its owner.
    if (one.is === 'unread') return one.isLink ? null : `ralph feature reopen ${name} --from ${document}`
  }
  return `ralph feature create ${name}`
}

/** Shows what the active run does and needs. */
const LOOK = 'ralph status'

function nextOfTasks(name: string, counts: TaskCounts, isBusy: boolean): string | null {
  const { all, done, failed, ready, scheduled, going } = counts
  if (done === all) return null
  if (isBusy) return LOOK
  if (ready + scheduled + going > 0) return `ralph run ${name}`
  // A run skips tasks that failed and tasks that are blocked.
  return failed > 0 ? `ralph task list --feature ${name} --status failed` : `ralph task tree ${name}`
}
