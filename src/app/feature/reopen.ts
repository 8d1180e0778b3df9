/** Reopens a feature whose documents were drafted: those to write anew get another name, and its tasks stay until another document is accepted. */
import { RalphError } from '../../core/error.ts'
import { FEATURE_DOCUMENTS, documentPath, type FeatureDocument } from '../../core/features/documents.ts'
import { folderNameProblem } from '../../core/tasks/task-id.ts'
import type { FeatureId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { updateFeature } from '../../store/task/features.ts'
import { assertDocumentsMovable, renameDocuments, type RenamedDocument } from '../../workspace/feature-documents.ts'
import { readStore, type StoreLocation } from '../task/task-store.ts'
import { copyExternalDocuments } from './copy-documents.ts'
import { findFeatureOrFolder, refuseWhileDrafting, unstoredFeatureName } from './features.ts'

export interface ReopenResult {
  id: FeatureId | null
  name: string
  /** Under which names the documents lie now that are to be written anew. */
  set_aside: RenamedDocument[]
  /** Its tasks, which stay. */
  tasks: number
  done: number
}

/** `from`: this document and those that follow from it; null: none of them, they are only drafted further. */
export async function reopenFeature(
  location: StoreLocation,
  said: string,
  from: FeatureDocument | null,
): Promise<ReopenResult> {
  const { root } = location
  const at = systemClock().at()
  const kinds = from === null ? [] : FEATURE_DOCUMENTS.slice(FEATURE_DOCUMENTS.indexOf(from))
  await copyExternalDocuments(location, said, kinds)
  const stored = await readStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const known = await findFeatureOrFolder(tx, root, said)
      refuseFolder(known.name)
      await refuseWhileDrafting(tx, root, known.name)
      assertDocumentsMovable(root, known.name, kinds)
      if (known.is === 'loose') return documentsAlone(known.name)
      const { id, name, spec, plan, tasks, done } = known.feature
      // What an earlier tool noted would be found in place of what is to be written anew.
      const anew = (kind: 'spec' | 'plan', path: string | null): string | null =>
        kinds.includes(kind) && path !== documentPath(name, kind) ? null : path
      const documents = { spec: anew('spec', spec), plan: anew('plan', plan) }
      await updateFeature(tx, id, { ...known.feature, ...documents, stage: 'draft' }, at)
      return { id, name, tasks, done }
    }),
  )
  const reopened = stored ?? documentsAlone(unstoredFeatureName(root, said, []))
  // Not within: a transaction may be done anew, and what was moved once is not found again.
  return { ...reopened, set_aside: renameDocuments(root, reopened.name, kinds, at) }
}

function documentsAlone(name: string): Omit<ReopenResult, 'set_aside'> {
  return { id: null, name, tasks: 0, done: 0 }
}

/** A name over tasks alone can be one that no folder has. */
function refuseFolder(name: string): void {
  const problem = folderNameProblem(name)
  if (problem === null) return
  throw new RalphError('usage', `feature ${name} has no papers of its own: ${problem}`, {
    hint: 'Change its tasks themselves: ralph task update, or begin another: ralph feature create NAME',
  })
}
