/**
 * A draft: documents that an agent writes, one after the other, in one conversation with a person or alone. What is wanted, what was said and
 * what a document may be made from lies beside the documents, so that any run goes on where another one ended.
 */
import { FEATURE_DOCUMENTS, PROJECT_DOCUMENTS, type DocumentKind } from './documents.ts'
import type { PipelinePosition } from '../pipeline/position.ts'
import type { FeatureId } from '../tasks/task.ts'
import type { TaskWork } from '../tree/task-work.ts'

/** What a run is to draft. */
export interface DraftSpec {
  /** Null: the project's own prompt and plan. */
  feature: FeatureId | null
  name: string
  /** Where the documents lie, relative to the project. */
  folder: string
  /** To be there in the end, in the order in which they are made. */
  documents: [DocumentKind, ...DocumentKind[]]
  /** Somebody answers the agent's questions. */
  asks: boolean
}

export interface DraftJob extends DraftSpec {
  is: 'draft'
  /** What the agent asks and nobody has answered yet. */
  question: string | null
  /** The document that was looked at since an agent was last at it; null: none. */
  seen: DocumentKind | null
  /** Turns in a row that ended with neither a document nor somebody to ask. */
  idle: number
  /** What the turn under way made of the tree: nothing but the documents may change. Null: nobody has looked yet. */
  own: TaskWork | null
}

export function createDraftJob(wanted: DraftSpec): DraftJob {
  return { is: 'draft', ...wanted, question: null, seen: null, idle: 0, own: null }
}

/** What a turn came to, until its document was looked at. */
export interface DraftTurn {
  /** The end of what the agent said. */
  said: string
  /** Nobody heard its end: it asks nothing, and what it left only counts if it is whole. */
  cut: boolean
  /** It says that the document is finished. */
  claims: boolean
  /** Files of the project that it changed and that were reverted, or had to stay. */
  drift: number
}

/** Which document a call is to write. `turn`: how often it was asked for in this run. */
export interface DraftCall extends Pick<DraftSpec, 'name' | 'folder' | 'asks'> {
  document: DocumentKind
  turn: number
}

/** A draft as a screen shows it. */
export interface DraftView extends Pick<DraftSpec, 'name' | 'folder'> {
  document: DocumentKind
  /** The end of what the agent said in its last turn. */
  said: string
}

/** What a person is asked. */
export function questionIn(said: string): string {
  return said === '' ? 'The agent wrote no paper and said nothing. What should it do?' : said
}

/** Whether they were drafted here or lay there before: what follows is made from them. */
export function precedingDocuments({ feature }: Pick<DraftSpec, 'feature'>, document: DocumentKind): DocumentKind[] {
  const all: readonly DocumentKind[] = feature === null ? PROJECT_DOCUMENTS : FEATURE_DOCUMENTS
  return all.slice(0, all.indexOf(document))
}

/** The stage that its line is at is named by its document. */
export function draftDocumentOf({ line }: { line: PipelinePosition | null }): DocumentKind {
  return (line?.at ?? 'spec') as DocumentKind
}
