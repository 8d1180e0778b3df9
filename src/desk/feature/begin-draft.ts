/** What has to be there before the papers of a feature are drafted: its row, its folder, and in it what is wanted. */
import type { DraftWanted } from '../../domain/feature/draft.ts'
import { isSaid, type SaidEntry } from '../../domain/feature/interview.ts'
import {
  FEATURE_PAPERS,
  featureFolder,
  paperIn,
  PROJECT_PAPERS,
  type PaperKind,
} from '../../domain/feature/paper.ts'
import { isUntouchedTemplate } from '../../domain/plan/untouched-template.ts'
import { houseFrom } from '../../domain/state/upgrade.ts'
import type { FeatureId } from '../../domain/task/task.ts'
import { firstWorker } from '../../domain/tell/focus.ts'
import type { Sql } from '../../store/db/sql.ts'
import { unfinishedRun } from '../../store/runs.ts'
import { loadState } from '../../store/state.ts'
import { addFeature, findFeature } from '../../store/task/features.ts'
import { realClock } from '../../system/clock.ts'
import { hashText } from '../../system/files/files.ts'
import { findPaper, keepSaid, keepSource, readInterview, readSource } from '../../workspace/draft-files.ts'
import { refusePapersBehindLinks, setAsidePapers } from '../../workspace/feature-papers.ts'
import { beginAt, lookAt, type TaskPlace } from '../task/task-store.ts'
import { refuseTwin } from './drafted.ts'

/** What somebody says who wants a feature. */
export interface FeatureWish {
  name: string
  /** In a sentence or more; null: it is said in the interview, or was said before. */
  wish: string | null
  /** A text to make it from; null: none. */
  source: string | null
  /** Somebody answers questions. */
  asks: boolean
}

/** Nobody has said yet what is wanted, here or in an earlier run. */
export function isUnsaid(root: string, name: string): boolean {
  const folder = featureFolder(name)
  return (
    readInterview(root, folder) === '' &&
    readSource(root, folder) === null &&
    missing(root, folder).length === FEATURE_PAPERS.length
  )
}

/** Something is said that was not said before. */
export function isNews(root: string, { name, wish, source }: Omit<FeatureWish, 'asks'>): boolean {
  const folder = featureFolder(name)
  if (source !== null && readSource(root, folder)?.text !== source) return true
  return wish !== null && !isSaid(readInterview(root, folder), wishEntry(wish))
}

/** What is still to be drafted of it; null: every paper is there and whole. */
export async function beginDraft(
  place: TaskPlace,
  { name, wish, source, asks }: FeatureWish,
): Promise<DraftWanted | null> {
  const { root } = place
  const folder = featureFolder(name)
  refuseTwin(root, name)
  // An agent would write through it.
  refusePapersBehindLinks(root, name, FEATURE_PAPERS)
  if (source !== null) keepSource(root, folder, source)
  if (wish !== null) keepSaid(root, folder, wishEntry(wish))
  return beginAt(place, async (sql) => {
    const feature = await sql.transaction((tx) => featureIn(tx, name))
    const wanted = { feature, name, folder, asks }
    const [first, ...others] = missing(root, folder)
    if (first !== undefined) return { ...wanted, papers: [first, ...others] }
    // A run that was cut off behind its last paper still has to end.
    return (await draftLeft(sql, root)) === name ? { ...wanted, papers: [...FEATURE_PAPERS] } : null
  })
}

const PROJECT_FOLDER = '.ralph'

/** The same for the project's own prompt and plan; null: somebody has written both. */
export async function beginProjectDraft(
  place: TaskPlace,
  { wish, asks }: Pick<FeatureWish, 'asks'> & { wish: string },
): Promise<DraftWanted | null> {
  const { root } = place
  const wanted = { feature: null, name: 'project', folder: PROJECT_FOLDER, asks }
  const [first, ...others] = missing(root, PROJECT_FOLDER, PROJECT_PAPERS)
  if (first === undefined) {
    const left = await lookAt(
      place,
      (sql) => draftLeft(sql, root),
      () => null,
    )
    return left === wanted.name ? { ...wanted, papers: [...PROJECT_PAPERS] } : null
  }
  keepSaid(root, PROJECT_FOLDER, wishEntry(wish))
  return { ...wanted, papers: [first, ...others] }
}

function wishEntry(text: string): SaidEntry {
  return { by: 'wish', mark: hashText(text).slice(0, 12), text }
}

/** What an unfinished run of this working tree drafts; null: nothing. */
async function draftLeft(sql: Sql, root: string): Promise<string | null> {
  const left = await unfinishedRun(sql, root)
  const state = left?.kind === 'feature' ? await loadState(sql, left.id) : null
  if (left === null || state === null) return null
  const job = firstWorker(houseFrom(state, left.id).workers)?.job
  return job?.is === 'draft' ? job.name : null
}

/** Papers that are not there or not whole, by their paths. */
export function missingPapers(root: string, name: string): string[] {
  return missing(root, featureFolder(name)).map((paper) => paperIn(featureFolder(name), paper))
}

function missing(root: string, folder: string, papers: readonly PaperKind[] = FEATURE_PAPERS): PaperKind[] {
  return papers.filter((paper) => {
    const { there, problems } = findPaper(root, folder, paper, isUntouchedTemplate)
    return !there || problems.length > 0
  })
}

/** The tasks are written anew, from those that are there and what the person says about them. */
export function mendTasks(root: string, name: string, words: string): void {
  const at = realClock().at()
  const kept = setAsidePapers(root, name, ['tasks'], at).map(({ to }) => to)
  const before = kept.length === 0 ? '' : `Mend the tasks that lie in ${kept.join(', ')} now: `
  keepSaid(root, featureFolder(name), { by: 'person', mark: `mend/${at}`, text: `${before}${words}` })
}

async function featureIn(tx: Sql, name: string): Promise<FeatureId> {
  const found = await findFeature(tx, name)
  if (found !== null) return found.id
  const made = { id: null, name, stage: 'draft' as const, spec: null, plan: null }
  return (await addFeature(tx, made, realClock().at())).id
}
