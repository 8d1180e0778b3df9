/**
 * The files of a draft: its documents, the transcript, and what it is made from. Nothing is read or written through a link: whoever may write
 * into the project must not choose another place for our words.
 */
import { dirname, join } from 'node:path'
import {
  INTERVIEW_FILE,
  isUnfinished,
  SOURCE_FILE,
  appendEntry,
  appendTurnStart,
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

export interface FoundDocument {
  there: boolean
  bytes: number
  /** In words to the agent; none: it is whole. */
  problems: string[]
}

/** `isTemplate`: nobody has written into it. */
export function findDocument(
  root: string,
  folder: string,
  document: DocumentKind,
  isTemplate: (text: string) => boolean,
): FoundDocument {
  const found = readDocumentAt(root, documentPathIn(folder, document), document)
  const bytes = sizeOf(join(root, found.path)) ?? 0
  switch (found.is) {
    case 'missing':
      return { there: false, bytes: 0, problems: [] }
    case 'unread':
      return { there: true, bytes, problems: [found.why] }
    case 'read': {
      const problems = isTemplate(found.text) ? [TEMPLATE] : documentProblems(document, found.text)
      const isHalf = isUnfinished(readInterview(root, folder), {
        file: DOCUMENT_FILES[document],
        now: fingerprint(found.text),
      })
      return { there: true, bytes, problems: problems.length === 0 && isHalf ? [HALF] : problems }
    }
    default:
      return assertNever(found)
  }
}

/** An end that only looks like one is told from one by whoever writes it. */
const HALF =
  'it was being written when the turn was cut off, so nobody knows whether it is finished: read it to its end, add what is missing and leave the rest'

function fingerprint(text: string): string {
  return hashText(text).slice(0, 12)
}

const TEMPLATE = 'it is still the template that Ralph wrote: write your own in its place'

/** By their paths. */
export function listDraftDocuments(root: string, folder: string): string[] {
  return DOCUMENT_KINDS.map((document) => documentPathIn(folder, document)).filter((path) =>
    isPathTaken(join(root, path)),
  )
}

/** What lies there before a turn is kept at another place: an agent may delete more than it is to write. */
export function copyDraftFolder(root: string, folder: string, at: string): void {
  ensureFolder(at)
  for (const name of NAMES) {
    const read = readInsideFolder(root, `${folder}/${name}`, { max: TEXT_MAX })
    if (read.is === 'read' && read.whole) writeAtomic(join(at, name), read.text)
  }
}

/** `from`: the documents that it is made from, which are to be as they were. */
export interface FolderCopy {
  /** Where copies of what was there lie. */
  before: string
  /** Where what was found instead is kept. */
  instead: string
  from: DocumentKind[]
}

/**
 * Puts back what was there before the turn and is gone, or changed where it was to be left alone; a transcript only has to go on from what
 * it was. Gives the paths, and where what was there instead is kept; null: nothing was.
 */
export function revertDraftFolder(
  root: string,
  folder: string,
  { before: copies, instead, from }: FolderCopy,
): { back: string[]; instead: string | null } {
  const fixed = new Set([SOURCE_FILE, ...from.map((document) => DOCUMENT_FILES[document])])
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

const NAMES = [INTERVIEW_FILE, SOURCE_FILE, ...DOCUMENT_KINDS.map((document) => DOCUMENT_FILES[document])]

/** A hundred times what a prompt has room for. */
const TEXT_MAX = 4 * 1024 * 1024

/** Null: it is not there, or cannot be read. */
function textAt(root: string, path: string): string | null {
  const read = readInsideFolder(root, path, { max: TEXT_MAX })
  return read.is === 'read' ? read.text : null
}

/** Empty: nothing was said yet, or it cannot be read. */
export function readInterview(root: string, folder: string): string {
  return textAt(root, `${folder}/${INTERVIEW_FILE}`) ?? ''
}

/** Something is there that a draft can be made or gone on from. */
export function hasDraftInput(root: string, folder: string): boolean {
  return (
    readInterview(root, folder) !== '' ||
    readDraftSource(root, folder) !== null ||
    listDraftDocuments(root, folder).length > 0
  )
}

/** Said twice it stands there once. */
export function saveEntry(root: string, folder: string, said: InterviewEntry): void {
  const path = `${folder}/${INTERVIEW_FILE}`
  const before = readInterview(root, folder)
  const after = appendEntry(before, said)
  if (after !== before) write(root, path, after)
}

/** A turn that is to write a document begins; noted twice it stands there once. */
export function saveTurnStart(
  root: string,
  folder: string,
  { mark, document }: { mark: string; document: DocumentKind },
): void {
  const found = readDocumentAt(root, documentPathIn(folder, document), document)
  const before = found.is === 'read' ? fingerprint(found.text) : null
  const interview = readInterview(root, folder)
  const begun = appendTurnStart(interview, { mark, file: DOCUMENT_FILES[document], before })
  if (begun !== interview) write(root, `${folder}/${INTERVIEW_FILE}`, begun)
}

/** What the documents are made from; null: nothing. */
export function readDraftSource(root: string, folder: string): { path: string; text: string } | null {
  const path = `${folder}/${SOURCE_FILE}`
  const text = textAt(root, path)
  return text === null ? null : { path, text }
}

export function saveDraftSource(root: string, folder: string, text: string): void {
  write(root, `${folder}/${SOURCE_FILE}`, text)
}

function write(root: string, path: string, text: string): void {
  assertNoLinks(root, path)
  ensureFolder(dirname(join(root, path)), 0o755)
  writeAtomic(join(root, path), text, { mode: 0o644 })
}
