/**
 * The files of a draft: its documents, the interview transcript and its source text. Nothing is read or written through a link, so that
 * nobody who can write into the project can redirect these files to another place.
 */
import { dirname, join } from 'node:path'
import {
  INTERVIEW_FILE,
  isDocumentUnfinished,
  DRAFT_SOURCE_FILE,
  interviewWithEntry,
  interviewWithTurn,
  type InterviewEntry,
} from '../core/features/interview.ts'
import {
  DOCUMENT_FILES,
  DOCUMENT_KINDS,
  documentPathIn,
  documentProblems,
  type DocumentKind,
} from '../core/features/documents.ts'
import { assertNever } from '../core/assert-never.ts'
import { ensureFolder, hashText, readIfExists, sizeOf, writeAtomic } from '../system/files/files.ts'
import { readInsideFolder } from '../system/files/read-inside.ts'
import { isPathTaken } from '../system/files/links.ts'
import { readDocumentAt, assertNoLinks } from './feature-documents.ts'

export interface DocumentCheckResult {
  there: boolean
  bytes: number
  /** Messages for the agent; empty: the document is complete. */
  problems: string[]
}

/** `isTemplate`: whether the text is still the unchanged template. */
export function checkDraftDocument(
  root: string,
  folder: string,
  document: DocumentKind,
  isTemplate: (text: string) => boolean,
): DocumentCheckResult {
  const found = readDocumentAt(root, documentPathIn(folder, document), document)
  const bytes = sizeOf(join(root, found.path)) ?? 0
  switch (found.is) {
    case 'missing':
      return { there: false, bytes: 0, problems: [] }
    case 'unread':
      return { there: true, bytes, problems: [found.why] }
    case 'read': {
      const problems = isTemplate(found.text) ? [TEMPLATE] : documentProblems(document, found.text)
      const isHalf = isDocumentUnfinished(readInterview(root, folder), {
        file: DOCUMENT_FILES[document],
        now: fingerprint(found.text),
      })
      return { there: true, bytes, problems: problems.length === 0 && isHalf ? [HALF] : problems }
    }
    default:
      return assertNever(found)
  }
}

/** Only the author can tell whether a document that was being written is complete, so the agent is asked. */
const HALF =
  'the last iteration was interrupted while writing it, so it may be incomplete: read all of it, add what is missing and leave the rest'

function fingerprint(text: string): string {
  return hashText(text).slice(0, 12)
}

const TEMPLATE = "it is still Ralph's template: replace it"

/** The paths of the documents that exist. */
export function listDraftDocuments(root: string, folder: string): string[] {
  return DOCUMENT_KINDS.map((document) => documentPathIn(folder, document)).filter((path) =>
    isPathTaken(join(root, path)),
  )
}

/** Copies the files of the draft to `at` before a turn: an agent may delete more than the document it writes. */
export function copyDraftFolder(root: string, folder: string, at: string): void {
  ensureFolder(at)
  for (const name of NAMES) {
    const read = readInsideFolder(root, `${folder}/${name}`, { max: TEXT_MAX })
    if (read.is === 'read' && read.whole) writeAtomic(join(at, name), read.text)
  }
}

/** `from`: the documents that the new one is written from, which must not change. */
export interface RevertDraftOptions {
  /** Folder with the copies from before the turn. */
  before: string
  /** Folder for the changed versions that were found afterwards. */
  instead: string
  from: DocumentKind[]
}

/**
 * Restores files that the turn deleted, and those it changed but must not change; a transcript may only grow. Returns the restored paths
 * and the folder with the changed versions; null: there were none.
 */
export function revertDraftFolder(
  root: string,
  folder: string,
  { before: copies, instead, from }: RevertDraftOptions,
): { back: string[]; instead: string | null } {
  const fixed = new Set([DRAFT_SOURCE_FILE, ...from.map((document) => DOCUMENT_FILES[document])])
  const found = NAMES.flatMap((name) => {
    const before = readIfExists(join(copies, name))
    if (before === null) return []
    const path = `${folder}/${name}`
    const text = textAt(root, path)
    if (isAsItWas(root, path, { name, before, text, isFixed: fixed.has(name) })) return []
    return [{ name, path, before, text }]
  })
  const kept = found.flatMap(({ name, text }) => (text === null || name === INTERVIEW_FILE ? [] : [{ name, text }]))
  if (kept.length > 0) ensureFolder(instead)
  for (const { name, text } of kept) writeAtomic(join(instead, name), text)
  for (const { path, before } of found) write(root, path, before)
  return { back: found.map(({ path }) => path), instead: kept.length === 0 ? null : instead }
}

function isAsItWas(
  root: string,
  path: string,
  { name, before, text, isFixed }: { name: string; before: string; text: string | null; isFixed: boolean },
): boolean {
  if (name === INTERVIEW_FILE) return text?.startsWith(before.trimEnd()) === true
  return isFixed ? text === before : isPathTaken(join(root, path))
}

const NAMES = [INTERVIEW_FILE, DRAFT_SOURCE_FILE, ...DOCUMENT_KINDS.map((document) => DOCUMENT_FILES[document])]

/** A hundred times the size that fits into a prompt. */
const TEXT_MAX = 4 * 1024 * 1024

/** Null: the file does not exist or cannot be read. */
function textAt(root: string, path: string): string | null {
  const read = readInsideFolder(root, path, { max: TEXT_MAX })
  return read.is === 'read' ? read.text : null
}

/** Empty: there is no transcript yet, or it cannot be read. */
export function readInterview(root: string, folder: string): string {
  return textAt(root, `${folder}/${INTERVIEW_FILE}`) ?? ''
}

/** Whether there is anything to start or continue a draft from. */
export function hasDraftInput(root: string, folder: string): boolean {
  return (
    readInterview(root, folder) !== '' ||
    readDraftSource(root, folder) !== null ||
    listDraftDocuments(root, folder).length > 0
  )
}

/** Saving the same entry twice adds it once. */
export function saveInterviewEntry(root: string, folder: string, said: InterviewEntry): void {
  const path = `${folder}/${INTERVIEW_FILE}`
  const before = readInterview(root, folder)
  const after = interviewWithEntry(before, said)
  if (after !== before) write(root, path, after)
}

/** Records the start of a turn that writes a document; recording it twice adds it once. */
export function saveTurnStart(
  root: string,
  folder: string,
  { mark, document }: { mark: string; document: DocumentKind },
): void {
  const found = readDocumentAt(root, documentPathIn(folder, document), document)
  const before = found.is === 'read' ? fingerprint(found.text) : null
  const interview = readInterview(root, folder)
  const begun = interviewWithTurn(interview, { mark, file: DOCUMENT_FILES[document], before })
  if (begun !== interview) write(root, `${folder}/${INTERVIEW_FILE}`, begun)
}

/** The text that the documents are written from; null: there is none. */
export function readDraftSource(root: string, folder: string): { path: string; text: string } | null {
  const path = `${folder}/${DRAFT_SOURCE_FILE}`
  const text = textAt(root, path)
  return text === null ? null : { path, text }
}

export function saveDraftSource(root: string, folder: string, text: string): void {
  write(root, `${folder}/${DRAFT_SOURCE_FILE}`, text)
}

function write(root: string, path: string, text: string): void {
  assertNoLinks(root, path)
  ensureFolder(dirname(join(root, path)), 0o755)
  writeAtomic(join(root, path), text, { mode: 0o644 })
}
