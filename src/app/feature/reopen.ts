/** Reopens a drafted feature: documents to draft again are renamed, and its tasks stay until another task file is accepted. */
import { RalphError } from '../../core/error.ts'
import { FEATURE_DOCUMENTS, featureDocumentPath, type FeatureDocumentKind } from '../../core/features/documents.ts'
import { featureFolderNameProblem } from '../../core/tasks/task-id.ts'
import type { FeatureId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { updateFeature } from '../../store/task/features.ts'
import { assertDocumentsMovable, renameOldDocuments, type RenamedDocument } from '../../workspace/feature-documents.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'
import { copyExternalDocuments } from './copy-documents.ts'
import { findFeatureOrFolder, refuseWhileDrafting, requireFeatureFolderName } from './features.ts'

export interface ReopenResult {
  id: FeatureId | null
  name: string
  /** The new names of the documents that will be drafted again. */
  set_aside: RenamedDocument[]
  /** The number of its tasks, which stay. */
  tasks: number
  done: number
}

/** `from`: drafts this document and those that follow from it again; null: none, the draft only continues. */
export async function reopenFeature(
  location: StoreLocation,
  said: string,
  from: FeatureDocumentKind | null,
): Promise<ReopenResult> {
  const { root } = location
  const at = systemClock().at()
  const kinds = from === null ? [] : FEATURE_DOCUMENTS.slice(FEATURE_DOCUMENTS.indexOf(from))
  await copyExternalDocuments(location, said, kinds)
  const stored = await useStoreIfAny(location, (sql) =>
    sql.transaction(async (tx) => {
      const known = await findFeatureOrFolder(tx, root, said)
      refuseBadFolderName(known.name)
      await refuseWhileDrafting(tx, root, known.name)
      assertDocumentsMovable(root, known.name, kinds)
      if (known.is === 'loose') return documentsAlone(known.name)
      const { id, name, spec, plan, tasks, done } = known.feature
      // The document path of an earlier tool would be used instead of the new draft.
      const anew = (kind: 'spec' | 'plan', path: string | null): string | null =>
        kinds.includes(kind) && path !== featureDocumentPath(name, kind) ? null : path
      const documents = { spec: anew('spec', spec), plan: anew('plan', plan) }
      await updateFeature(tx, id, { ...known.feature, ...documents, stage: 'draft' }, at)
      return { id, name, tasks, done }
    }),
  )
  const reopened = stored ?? documentsAlone(requireFeatureFolderName(root, said, []))
  // Outside the transaction, which may be retried: a file that is moved once is not found again.
  return { ...reopened, set_aside: renameOldDocuments(root, reopened.name, kinds, at) }
}

function documentsAlone(name: string): Omit<ReopenResult, 'set_aside'> {
  return { id: null, name, tasks: 0, done: 0 }
}

/** A feature that only groups tasks may have a name that is no valid folder name. */
function refuseBadFolderName(name: string): void {
  const problem = featureFolderNameProblem(name)
  if (problem === null) return
  throw new RalphError('usage', `feature ${name} cannot have documents: ${problem}`, {
    hint: 'Change its tasks with ralph task update, or start another feature: ralph feature create NAME',
  })
}
