/** What effects carry of a draft: which paper a call is to write, and which files a turn may change. */
import { paperIn, PROJECT_PAPERS } from '../../feature/paper.ts'
import type { RunAgent } from '../../state/effect.ts'
import type { Worker } from '../../state/state.ts'
import { draftOf } from '../../state/job.ts'
import { paperOf } from '../../feature/draft.ts'
import { INTERVIEW_FILE } from '../../feature/interview.ts'

export function draftAsked(worker: Worker): Pick<RunAgent, 'draft'> {
  const job = draftOf(worker)
  if (job === null) return {}
  const { line } = worker
  const paper = paperOf({ line })
  const { name, folder, asks } = job
  return { draft: { name, folder, asks, paper, turn: line?.visits[paper] ?? 1 } }
}

/**
 * What the turns of a draft may change, relative to the project: its folder, which ends in a slash, or files. Whatever else lies in the
 * project, in `.ralph` too, is to be as it was when a turn began.
 */
export function draftWrites(worker: Worker): { writes?: string[] } {
  const job = draftOf(worker)
  if (job === null) return {}
  const { feature, folder } = job
  if (feature !== null) return { writes: [`${folder}/`] }
  return { writes: [...PROJECT_PAPERS.map((paper) => paperIn(folder, paper)), `${folder}/${INTERVIEW_FILE}`] }
}
