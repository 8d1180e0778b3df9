/**
 * The documents of features on disk: `.ralph/features/<name>/`. Nothing is read, moved or written through a link: otherwise anyone who can
 * create a link could choose the accepted text, or where it is stored.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { RalphError } from '../core/error.ts'
import {
  featureFolder,
  documentMaxBytes,
  featureDocumentPath,
  type FeatureDocumentKind,
  type DocumentKind,
} from '../core/features/documents.ts'
import type { Instant } from '../core/ids.ts'
import { isoTime } from '../system/clock.ts'
import { findWriteError } from '../system/files/file-error.ts'
import { ensureFolder, isFolder, listFolder } from '../system/files/files.ts'
import { moveFile } from '../system/files/copy-move.ts'
import { readInsideFolder } from '../system/files/read-inside.ts'
import { isPathTaken } from '../system/files/links.ts'
import { isLink } from '../system/files/special-files.ts'
import { createFile } from '../system/files/replace-file.ts'
import { foldersAbove } from './paths.ts'

/** `missing`: the path does not exist. `unread`: it exists but cannot be read as the document. */
export type DocumentReadResult =
  | { is: 'read'; path: string; text: string }
  | { is: 'missing'; path: string }
  | { is: 'unread'; path: string; why: string; isLink: boolean }

export function readFeatureDocument(root: string, name: string, kind: FeatureDocumentKind): DocumentReadResult {
  return readDocumentAt(root, featureDocumentPath(name, kind), kind)
}

/** A document at any path: an earlier tool stored some elsewhere. An unreadable folder hides only its own documents. */
export function readDocumentAt(root: string, path: string, kind: DocumentKind): DocumentReadResult {
  try {
    return documentAt(root, path, kind)
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return { is: 'unread', path, why: error.message, isLink: false }
  }
}

function documentAt(root: string, path: string, kind: DocumentKind): DocumentReadResult {
  const link = findLinkInPath(root, path)
  if (link !== null) return { is: 'unread', path, why: link === path ? NO_LINKS : `${link} is a link`, isLink: true }
  if (!isPathTaken(resolve(root, path))) return { is: 'missing', path }
  const read = readInsideFolder(root, path, { max: documentMaxBytes(kind) })
  if (read.is === 'unread') return { is: 'unread', path, why: `it ${read.why}`, isLink: false }
  if (read.whole) return { is: 'read', path, text: read.text }
  const why = `it is larger than ${documentMaxBytes(kind) / 1024} KB, the maximum`
  return { is: 'unread', path, why, isLink: false }
}

const NO_LINKS = 'it is a link; Ralph does not follow links here'
export const REPLACE_LINK_HINT = 'Replace it with a folder or a file of the project.'

/** Names of the folders with documents. A link counts as one, so that a user learns why its documents are not read. */
export function featureFolders(root: string): string[] {
  if (findFeaturesLink(root) !== null) return []
  return listFolder(join(root, FEATURES))
    .filter((name) => isFolder(join(root, FEATURES, name)))
    .toSorted()
}

/** The link that makes all documents unreadable; null: there is none. */
export function findFeaturesLink(root: string): string | null {
  return findLinkInPath(root, FEATURES)
}

const FEATURES = '.ralph/features'
/** Documents of deleted features; no feature name begins with a dot. */
const DELETED = `${FEATURES}/.deleted`

/** Moves all documents of a feature away and returns their new folder; null: there were none. */
export function moveDocumentsToDeleted(root: string, name: string, at: Instant): string | null {
  const folder = featureFolder(name)
  if (!isPathTaken(join(root, folder))) return null
  assertFeatureMovable(root, name)
  const to = freeName(root, (end) => `${DELETED}/${name}-${stampOf(at)}${end}`)
  ensureFolder(join(root, DELETED), 0o755)
  moveFile(join(root, folder), join(root, to))
  return to
}

/** Called before a feature is deleted: its documents must be movable. */
export function assertFeatureMovable(root: string, name: string): void {
  const folder = featureFolder(name)
  assertNoLinks(root, folder)
  assertNoLinks(root, DELETED)
  if (!isPathTaken(join(root, folder))) return
  if (isPathTaken(join(root, DELETED)) && !isFolder(join(root, DELETED)))
    throw new RalphError('io', `${DELETED} is not a folder; Ralph moves the documents of deleted features there`, {
      hint: 'Move it away, then run the same command again.',
    })
  // The folder itself too: moving it updates its `..` entry, which needs write permission on it.
  for (const path of [FEATURES, folder, DELETED]) refuseUnwritable(root, path)
}

/** The same check for documents that are renamed in their folder. */
export function assertDocumentsMovable(root: string, name: string, kinds: readonly FeatureDocumentKind[]): void {
  assertDocumentsNotLinked(root, name, kinds)
  if (kinds.some((kind) => isPathTaken(join(root, featureDocumentPath(name, kind)))))
    refuseUnwritable(root, featureFolder(name))
}

function refuseUnwritable(root: string, path: string): void {
  const problem = findWriteError(join(root, path))
  if (problem !== null) throw problem
}

/** The same check for documents that are not moved. */
export function assertDocumentsNotLinked(root: string, name: string, kinds: readonly FeatureDocumentKind[]): void {
  for (const kind of kinds) assertNoLinks(root, featureDocumentPath(name, kind))
}

export interface RenamedDocument {
  from: string
  to: string
}

/** Renames each document in its folder, so that the next draft of the feature finds none and writes it again. */
export function renameOldDocuments(
  root: string,
  name: string,
  kinds: readonly FeatureDocumentKind[],
  at: Instant,
): RenamedDocument[] {
  assertDocumentsNotLinked(root, name, kinds)
  return kinds.flatMap((kind) => {
    const from = featureDocumentPath(name, kind)
    if (!isPathTaken(join(root, from))) return []
    const to = freeName(root, (end) => from.replace(/(\.\w+)$/, `.${stampOf(at)}${end}$1`))
    moveFile(join(root, from), join(root, to))
    return [{ from, to }]
  })
}

/** Writes a document to a path that does not exist yet. */
export function createDocument(root: string, to: string, text: string): void {
  assertNoLinks(root, to)
  ensureFolder(join(root, dirname(to)), 0o755)
  createFile(join(root, to), text, { mode: 0o644, durable: true })
}

/** The first unused name: two moves within a second must not collide. */
function freeName(root: string, name: (end: string) => string): string {
  let free = name('')
  for (let n = 2; isPathTaken(join(root, free)); n += 1) free = name(`-${n}`)
  return free
}

/** `20261117-130500`. */
function stampOf(at: Instant): string {
  return isoTime(at).slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
}

/** The outermost folder of the path, or the file itself, that is a link. */
function findLinkInPath(root: string, path: string): string | null {
  if (isAbsolute(path)) return null
  return [path, ...foldersAbove(path)].findLast((way) => isLink(join(root, way))) ?? null
}

/** Called before every write to `path`. */
export function assertNoLinks(root: string, path: string): void {
  const link = findLinkInPath(root, path)
  if (link === null) return
  throw new RalphError('bad-file', `${link} is a link; Ralph does not write documents through links`, {
    hint: REPLACE_LINK_HINT,
  })
}
