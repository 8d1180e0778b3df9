/**
 * A draft: documents that an agent writes, one after the other, in one conversation with a person or alone. The request, the interview
 * and the source are saved beside the documents, so that any run can continue where another one ended.
 */
import { FEATURE_DOCUMENTS, PROJECT_DOCUMENTS, type DocumentKind } from './documents.ts'
import type { PipelinePosition } from '../pipeline/position.ts'
import type { FeatureId } from '../tasks/task.ts'
import type { JobChange } from '../tree/job-change.ts'

/** What a run drafts. */
export interface DraftRequest {
  /** Null: the project's own prompt and plan. */
  feature: FeatureId | null
  name: string
  /** The folder of the documents, relative to the project. */
  folder: string
  /** The documents to write, in this order. */
  documents: [DocumentKind, ...DocumentKind[]]
  /** A person answers the agent's questions. */
  asks: boolean
}

export interface DraftJob extends DraftRequest {
  is: 'draft'
  /** The agent's question that nobody has answered yet. */
  question: string | null
  /** The document that was checked since the last turn; null: none. */
  seen: DocumentKind | null
  /** Turns in a row that ended without a document and without a person to ask. */
  idle: number
  /** The snapshots around the current turn: only the documents may change. Null: none was taken yet. */
  own: JobChange | null
}

export function createDraftJob(wanted: DraftRequest): DraftJob {
  return { is: 'draft', ...wanted, question: null, seen: null, idle: 0, own: null }
}

/** The result of a turn, until its document is checked. */
export interface DraftTurnResult {
  /** The end of what the agent said. */
  said: string
  /** The turn was interrupted: it asks nothing, and its document only counts if it is complete. */
  cut: boolean
  /** The agent claims that the document is finished. */
  claims: boolean
  /** How many other files of the project it changed, whether reverted or not. */
  drift: number
}

/** The document that a call writes. `turn`: how often this run has asked for it. */
export interface DraftCall extends Pick<DraftRequest, 'name' | 'folder' | 'asks'> {
  document: DocumentKind
  turn: number
}

/** A draft as a screen shows it. */
export interface DraftView extends Pick<DraftRequest, 'name' | 'folder'> {
  document: DocumentKind
  /** The end of what the agent said in its last turn. */
  said: string
}

/** The question for a person. */
export function draftQuestionText(said: string): string {
  return said === '' ? 'The agent wrote no document and asked nothing. What should it do?' : said
}

/** The documents that this one is based on, whether this run drafted them or they existed before. */
export function precedingDocuments({ feature }: Pick<DraftRequest, 'feature'>, document: DocumentKind): DocumentKind[] {
  const all: readonly DocumentKind[] = feature === null ? PROJECT_DOCUMENTS : FEATURE_DOCUMENTS
  return all.slice(0, all.indexOf(document))
}

/** Each stage of the draft's pipeline has the name of its document. */
export function currentDraftDocument({ line }: { line: PipelinePosition | null }): DocumentKind {
  return (line?.at ?? 'spec') as DocumentKind
}
