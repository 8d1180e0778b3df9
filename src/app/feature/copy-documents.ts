/**
 * An earlier tool may have stored a feature's documents in another folder. A draft works in the feature's own folder, so each document is
 * copied there and reported; the original is not touched, since that tool may still be in use.
 */
import {
  FEATURE_DOCUMENTS,
  featureDocumentPath,
  documentProblems,
  type FeatureDocumentKind,
} from '../../core/features/documents.ts'
import { featureFolderNameProblem } from '../../core/tasks/task-id.ts'
import type { Feature } from '../../core/tasks/task.ts'
import { findFeature } from '../../store/task/features.ts'
import { createDocument, readFeatureDocument, readDocumentAt } from '../../workspace/feature-documents.ts'
import { useStoreIfAny, type StoreLocation } from '../task/task-store.ts'

export interface ExternalDocument {
  kind: FeatureDocumentKind
  /** The current path, and the path in the feature's folder. */
  from: string
  to: string
  text: string
  whole: boolean
}

/** By the feature's name or id. */
export async function copyExternalDocuments(
  location: StoreLocation,
  said: string,
  kinds: readonly FeatureDocumentKind[] = FEATURE_DOCUMENTS,
): Promise<void> {
  for (const { kind, from, to, text } of await findExternalDocuments(location, said)) {
    if (!kinds.includes(kind)) continue
    createDocument(location.root, to, text)
    location.notice(`${from} was copied to ${to}. Ralph works on the copy and leaves the original unchanged.`)
  }
}

export async function findExternalDocuments(location: StoreLocation, said: string): Promise<ExternalDocument[]> {
  const feature = await useStoreIfAny(location, (sql) => findFeature(sql, said))
  return feature === null ? [] : externalDocumentsOf(location.root, feature)
}

/** Those that can be read. A document in the feature's own folder takes precedence. */
export function externalDocumentsOf(root: string, { name, spec, plan }: Feature): ExternalDocument[] {
  const isFolder = featureFolderNameProblem(name) === null
  const noted = { spec, plan, tasks: null }
  return FEATURE_DOCUMENTS.flatMap((kind) => {
    const from = noted[kind]
    const to = featureDocumentPath(name, kind)
    if (from === null || from === to || (isFolder && readFeatureDocument(root, name, kind).is !== 'missing')) return []
    const there = readDocumentAt(root, from, kind)
    if (there.is !== 'read') return []
    return [{ kind, from, to, text: there.text, whole: documentProblems(kind, there.text).length === 0 }]
  })
}
