/**
 * Papers of an earlier tool lie where that tool noted them, perhaps in a folder whose name is none here. Whoever drafts the feature further
 * works in its own folder, so a copy of each is laid there and told; the file itself is not touched, since that tool may still be in use.
 */
import { FEATURE_PAPERS, paperPath, paperProblems, type FeaturePaper } from '../../domain/feature/paper.ts'
import { paperNameProblem } from '../../domain/feature/name.ts'
import type { Feature } from '../../domain/task/task.ts'
import { findFeature } from '../../store/task/features.ts'
import { copyPaper, readPaper, readPaperAt } from '../../workspace/feature-papers.ts'
import { lookAt, type TaskPlace } from '../task/task-store.ts'

export interface PaperElsewhere {
  kind: FeaturePaper
  /** Where it lies, and where it belongs. */
  from: string
  to: string
  text: string
  whole: boolean
}

/** By the feature's name or id. */
export async function bringPapers(
  place: TaskPlace,
  said: string,
  kinds: readonly FeaturePaper[] = FEATURE_PAPERS,
): Promise<void> {
  for (const { kind, from, to, text } of await papersElsewhere(place, said)) {
    if (!kinds.includes(kind)) continue
    copyPaper(place.root, to, text)
    place.notice(`${from} was copied to ${to}, where it is worked on from now on. It stays as it is.`)
  }
}

export function papersElsewhere(place: TaskPlace, said: string): Promise<PaperElsewhere[]> {
  return lookAt(
    place,
    async (sql) => {
      const feature = await findFeature(sql, said)
      return feature === null ? [] : elsewhereOf(place.root, feature)
    },
    () => [],
  )
}

/** Those that can be read; what its own folder has counts before. */
export function elsewhereOf(root: string, { name, spec, plan }: Feature): PaperElsewhere[] {
  const isFolder = paperNameProblem(name) === null
  const noted = { spec, plan, tasks: null }
  return FEATURE_PAPERS.flatMap((kind) => {
    const from = noted[kind]
    const to = paperPath(name, kind)
    if (from === null || from === to || (isFolder && readPaper(root, name, kind).is !== 'missing')) return []
    const there = readPaperAt(root, from, kind)
    if (there.is !== 'read') return []
    return [{ kind, from, to, text: there.text, whole: paperProblems(kind, there.text).length === 0 }]
  })
}
