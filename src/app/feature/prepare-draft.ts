/** Creates what a draft of a feature's documents needs: its row, its folder, and the description in it. */
import type { DraftRequest } from '../../core/features/draft.ts'
import { hasEntry, type InterviewEntry } from '../../core/features/interview.ts'
import {
  FEATURE_DOCUMENTS,
  featureFolder,
  documentPathIn,
  PROJECT_DOCUMENTS,
  type DocumentKind,
} from '../../core/features/documents.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { upgradeState } from '../../core/state/upgrade.ts'
import type { Instant } from '../../core/ids.ts'
import type { Feature } from '../../core/tasks/task.ts'
import { firstWorker } from '../../core/presentation/focused-worker.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadUnfinishedRun } from '../../store/runs.ts'
import { loadRunState } from '../../store/run-state.ts'
import { addFeature, findFeature } from '../../store/task/features.ts'
import { systemClock } from '../../system/clock.ts'
import { hashText } from '../../system/files/files.ts'
import {
  checkDraftDocument,
  saveInterviewEntry,
  saveDraftSource,
  readInterview,
  readDraftSource,
} from '../../workspace/draft-documents.ts'
import { assertDocumentsNotLinked, renameOldDocuments } from '../../workspace/feature-documents.ts'
import { useOrCreateStore, useStoreIfAny, type StoreLocation } from '../task/task-store.ts'
import { refuseCaseConflict } from './task-draft.ts'

/** A person's request for a feature. */
export interface FeatureRequest {
  name: string
  /** A sentence or more; null: the person describes it in the interview, or did so before. */
  wish: string | null
  /** A text to draft from; null: none. */
  source: string | null
  /** A person answers questions. */
  asks: boolean
}

/** No description exists yet, from this command or an earlier run. */
export function lacksDescription(root: string, name: string): boolean {
  const folder = featureFolder(name)
  return (
    readInterview(root, folder) === '' &&
    readDraftSource(root, folder) === null &&
    missing(root, folder).length === FEATURE_DOCUMENTS.length
  )
}

/** The request adds a description that was not given before. */
export function hasNewDescription(root: string, { name, wish, source }: Omit<FeatureRequest, 'asks'>): boolean {
  const folder = featureFolder(name)
  if (source !== null && readDraftSource(root, folder)?.text !== source) return true
  return wish !== null && !hasEntry(readInterview(root, folder), wishEntry(wish))
}

/** The documents still to draft; null: every document is complete. */
export async function prepareDraft(
  location: StoreLocation,
  { name, wish, source, asks }: FeatureRequest,
): Promise<DraftRequest | null> {
  const { root } = location
  const folder = featureFolder(name)
  refuseCaseConflict(root, name)
  // The agent would write through the link.
  assertDocumentsNotLinked(root, name, FEATURE_DOCUMENTS)
  if (source !== null) saveDraftSource(root, folder, source)
  if (wish !== null) saveInterviewEntry(root, folder, wishEntry(wish))
  return useOrCreateStore(location, async (sql) => {
    const { id: feature } = await sql.transaction((tx) => ensureFeature(tx, name, systemClock().at()))
    const wanted = { feature, name, folder, asks }
    const [first, ...others] = missing(root, folder)
    if (first !== undefined) return { ...wanted, documents: [first, ...others] }
    // A run that was interrupted after its last document still has to finish.
    return (await unfinishedDraftName(sql, root)) === name ? { ...wanted, documents: [...FEATURE_DOCUMENTS] } : null
  })
}

const PROJECT_FOLDER = '.ralph'

/** The same for the project's own prompt and plan; null: both are written already. */
export async function prepareProjectDraft(
  location: StoreLocation,
  { wish, asks }: Pick<FeatureRequest, 'asks'> & { wish: string },
): Promise<DraftRequest | null> {
  const { root } = location
  const wanted = { feature: null, name: 'project', folder: PROJECT_FOLDER, asks }
  const [first, ...others] = missing(root, PROJECT_FOLDER, PROJECT_DOCUMENTS)
  if (first === undefined) {
    const left = await useStoreIfAny(location, (sql) => unfinishedDraftName(sql, root))
    return left === wanted.name ? { ...wanted, documents: [...PROJECT_DOCUMENTS] } : null
  }
  saveInterviewEntry(root, PROJECT_FOLDER, wishEntry(wish))
  return { ...wanted, documents: [first, ...others] }
}

function wishEntry(text: string): InterviewEntry {
  return { by: 'wish', mark: hashText(text).slice(0, 12), text }
}

/** What the unfinished run of this working tree drafts; null: nothing. */
async function unfinishedDraftName(sql: Sql, root: string): Promise<string | null> {
  const left = await loadUnfinishedRun(sql, root)
  const state = left?.kind === 'feature' ? await loadRunState(sql, left.id) : null
  if (left === null || state === null) return null
  const job = firstWorker(upgradeState(state, left.id).workers)?.job
  return job?.is === 'draft' ? job.name : null
}

/** Documents that are missing or incomplete, by their paths. */
export function missingDocuments(root: string, name: string): string[] {
  return missing(root, featureFolder(name)).map((document) => documentPathIn(featureFolder(name), document))
}

function missing(root: string, folder: string, documents: readonly DocumentKind[] = FEATURE_DOCUMENTS): DocumentKind[] {
  return documents.filter((document) => {
    const { there, problems } = checkDraftDocument(root, folder, document, isUntouchedTemplate)
    return !there || problems.length > 0
  })
}

/** Has the tasks drafted again, from the current ones and the person's remarks. */
export function requestTaskRevision(root: string, name: string, words: string): void {
  const at = systemClock().at()
  const kept = renameOldDocuments(root, name, ['tasks'], at).map(({ to }) => to)
  const before = kept.length === 0 ? '' : `Fix the current tasks in ${kept.join(', ')} now: `
  saveInterviewEntry(root, featureFolder(name), { by: 'person', mark: `mend/${at}`, text: `${before}${words}` })
}

/** The feature of this name, created if it does not exist. */
export async function ensureFeature(tx: Sql, name: string, at: Instant): Promise<Feature> {
  const found = await findFeature(tx, name)
  return found ?? addFeature(tx, { id: null, name, stage: 'draft', spec: null, plan: null }, at)
}
