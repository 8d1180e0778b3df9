/** Takes up a feature again whose papers were drafted: what is to be written anew is set aside, and its tasks stay until another document is accepted. */
import { RalphError } from '../../domain/error.ts'
import { FEATURE_PAPERS, paperPath, type FeaturePaper } from '../../domain/feature/paper.ts'
import { paperNameProblem } from '../../domain/feature/name.ts'
import type { FeatureId } from '../../domain/task/task.ts'
import { realClock } from '../../system/clock.ts'
import { setFeature } from '../../store/task/features.ts'
import { refuseUnmovablePapers, setAsidePapers, type SetAside } from '../../workspace/feature-papers.ts'
import { lookAt, type TaskPlace } from '../task/task-store.ts'
import { bringPapers } from './bring-papers.ts'
import { refuseDrafting } from './drafting.ts'
import { knownAs, looseName } from './features.ts'

export interface Reopened {
  id: FeatureId | null
  name: string
  /** Under which names the papers lie now that are to be written anew. */
  set_aside: SetAside[]
  /** Its tasks, which stay. */
  tasks: number
  done: number
}

/** `from`: this paper and those that follow from it; null: none of them, they are only drafted further. */
export async function reopenFeature(
  place: TaskPlace,
  said: string,
  from: FeaturePaper | null,
): Promise<Reopened> {
  const { root } = place
  const at = realClock().at()
  const kinds = from === null ? [] : FEATURE_PAPERS.slice(FEATURE_PAPERS.indexOf(from))
  await bringPapers(place, said, kinds)
  const reopened = await lookAt(
    place,
    (sql) =>
      sql.transaction(async (tx) => {
        const known = await knownAs(tx, root, said)
        refuseFolder(known.name)
        await refuseDrafting(tx, root, known.name)
        refuseUnmovablePapers(root, known.name, kinds)
        if (known.is === 'loose') return papersAlone(known.name)
        const { id, name, spec, plan, tasks, done } = known.feature
        // What an earlier tool noted would be found in place of what is to be written anew.
        const anew = (kind: 'spec' | 'plan', path: string | null): string | null =>
          kinds.includes(kind) && path !== paperPath(name, kind) ? null : path
        const papers = { spec: anew('spec', spec), plan: anew('plan', plan) }
        await setFeature(tx, id, { ...known.feature, ...papers, stage: 'draft' }, at)
        return { id, name, tasks, done }
      }),
    () => papersAlone(looseName(root, said, [])),
  )
  // Not within: a transaction may be done anew, and what was moved once is not found again.
  return { ...reopened, set_aside: setAsidePapers(root, reopened.name, kinds, at) }
}

function papersAlone(name: string): Omit<Reopened, 'set_aside'> {
  return { id: null, name, tasks: 0, done: 0 }
}

/** A name over tasks alone can be one that no folder has. */
function refuseFolder(name: string): void {
  const problem = paperNameProblem(name)
  if (problem === null) return
  throw new RalphError('usage', `feature ${name} has no papers of its own: ${problem}`, {
    hint: 'Change its tasks themselves: ralph task update, or begin another: ralph feature create NAME',
  })
}
