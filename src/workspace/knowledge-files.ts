/**
 * The knowledge files of a project: `.ralph/knowledge/*.md`. Nothing is read or written through a link. A file that is not a valid entry is
 * reported with its line and left alone.
 */
import { join } from 'node:path'
import { RalphError } from '../core/error.ts'
import type { Instant } from '../core/ids.ts'
import { parseKnowledgePage, withUpdatedAt, renderKnowledgePage } from '../core/memory/knowledge-page.ts'
import type { KnowledgeFolder, PreparedPageSave } from '../core/memory/prepare-page-save.ts'
import { FILE_MAX_BYTES, FILES_MAX } from '../core/memory/knowledge-limits.ts'
import type { KnowledgeQuery, KnowledgeFile } from '../core/memory/match-pages.ts'
import { recallPages, type RecalledKnowledge } from '../core/memory/recall.ts'
import { ensureFolder, exists, isFolder, listFolder, removeIfExists } from '../system/files/files.ts'
import { readRegularFile } from '../system/files/path-entry.ts'
import { readInsideFolder } from '../system/files/read-inside.ts'
import { isLink } from '../system/files/special-files.ts'
import { createFile, replaceFile } from '../system/files/replace-file.ts'
import type { Masker } from '../system/mask/mask.ts'

const FOLDER = '.ralph/knowledge'

/** A file that is not a valid entry. `line` null: the file was not read. */
export interface BrokenKnowledgeFile {
  path: string
  line: number | null
  why: string
}

export interface KnowledgePages extends KnowledgeFolder {
  files: KnowledgeFile[]
  broken: BrokenKnowledgeFile[]
}

/** The path of a knowledge file in the project. */
export function knowledgePath(name: string): string {
  return `${FOLDER}/${name}`
}

/** Sorted by name, so that the result does not depend on the file system. */
export function readKnowledge(root: string): KnowledgePages {
  const link = findLinkInPath(root)
  if (link !== null) return { files: [], taken: [], broken: [{ path: link, line: null, why: NO_LINKS }] }
  if (isNoFolder(root))
    return { files: [], taken: [], broken: [{ path: FOLDER, line: null, why: 'it is not a folder' }] }
  const taken = listFolder(join(root, FOLDER)).toSorted()
  // Files that editors and systems add begin with a dot.
  const named = taken.filter((name) => name.toLowerCase().endsWith('.md') && !name.startsWith('.'))
  const read = named.slice(0, FILES_MAX).map((name) => readFile(root, name))
  const spare = named.length - FILES_MAX
  const tooMany = `${spare} files over the maximum of ${FILES_MAX}`
  return {
    files: read.flatMap((one) => ('entry' in one ? [one] : [])),
    broken: [
      ...read.flatMap((one) => ('why' in one ? [one] : [])),
      ...(spare > 0 ? [{ path: FOLDER, line: null, why: tooMany }] : []),
    ],
    taken,
  }
}

const NO_LINKS = 'it is a link; Ralph does not follow links here'

function readFile(root: string, name: string): KnowledgeFile | BrokenKnowledgeFile {
  const path = knowledgePath(name)
  if (isLink(join(root, path))) return { path, line: null, why: NO_LINKS }
  const inside = readInsideFolder(join(root, FOLDER), name, { max: FILE_MAX_BYTES })
  if (inside.is === 'unread') return { path, line: inside.line ?? null, why: `it ${inside.why}` }
  if (!inside.whole) return { path, line: null, why: `it is larger than ${FILE_MAX_BYTES / 1024} KB` }
  const read = parseKnowledgePage(inside.text)
  return read.is === 'read' ? { name, entry: read.entry } : { path, line: read.line, why: read.why }
}

/** The entries for a task's prompt. Secrets are masked, because anybody may have written the entries. */
export function recallProjectKnowledge(
  root: string,
  about: KnowledgeQuery,
  { at, mask }: { at: Instant; mask: Pick<Masker, 'text'> },
): RecalledKnowledge {
  const { files, broken } = readKnowledge(root)
  const entries = recallPages(files, about, { at, pathOf: knowledgePath }).map((entry) => ({
    ...entry,
    title: mask.text(entry.title),
    body: mask.text(entry.body),
  }))
  return { entries, remarks: broken.map(describeBrokenFile) }
}

export function describeBrokenFile({ path, line, why }: BrokenKnowledgeFile): string {
  return `${path}${line === null ? '' : `, line ${line}`}: ${why}`
}

/** A link at any of these paths would redirect writes out of the project. */
function findLinkInPath(root: string): string | null {
  return ['.ralph', FOLDER].find((path) => isLink(join(root, path))) ?? null
}

/** How often another writer may win the race; more is no coincidence. */
const TRIES_MAX = 50

/** `place` decides where a new entry goes, given the existing ones. It is called again if they changed before the write. */
export function writeKnowledge(root: string, place: (there: KnowledgePages) => PreparedPageSave): PreparedPageSave {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const placed = place(readKnowledge(root))
    if (placed.is !== 'written' || tryWritePage(root, placed)) return placed
  }
  throw new RalphError('io', `${FOLDER} keeps changing`, { hint: 'Try again.' })
}

function tryWritePage(root: string, { name, text, was }: Extract<PreparedPageSave, { is: 'written' }>): boolean {
  const file = safePlace(root, name)
  ensureFolder(join(root, FOLDER), 0o755)
  const how = { mode: 0o644, durable: true }
  if (was === null) return createFile(file, text, how)
  const still = (): boolean => {
    const now = readFile(root, name)
    return 'entry' in now && renderKnowledgePage(now.entry) === renderKnowledgePage(was)
  }
  return replaceFile(file, text, { ...how, still })
}

/** The bytes of the file, valid entry or not; null: it does not exist. */
export function readKnowledgeBytes(root: string, name: string): Buffer | null {
  return readRegularFile(safePlace(root, name))?.bytes ?? null
}

/** Replaces the file by an edited copy and updates its date. False: the file changed since it was copied. */
export function replaceKnowledgeIfUnchanged(
  root: string,
  name: string,
  { was, now, at }: { was: Buffer; now: Buffer; at: string },
): boolean {
  const file = safePlace(root, name)
  const text = now.toString('utf8')
  const isEntry = parseKnowledgePage(text).is === 'read' && Buffer.from(text).equals(now)
  const still = (): boolean => readRegularFile(file)?.bytes.equals(was) === true
  return replaceFile(file, isEntry ? withUpdatedAt(text, at) : now, { mode: 0o644, durable: true, still })
}

export function removeKnowledge(root: string, name: string): void {
  removeIfExists(safePlace(root, name))
}

function isNoFolder(root: string): boolean {
  return exists(join(root, FOLDER)) && !isFolder(join(root, FOLDER))
}

function safePlace(root: string, name: string): string {
  const path = knowledgePath(name)
  const link = findLinkInPath(root) ?? (!isNoFolder(root) && isLink(join(root, path)) ? path : null)
  if (link !== null)
    throw new RalphError('bad-file', `${link} is a link; Ralph does not write pages through links`, {
      hint: 'Replace it with a folder or a file of the project.',
    })
  if (isNoFolder(root)) throw new RalphError('bad-file', `${FOLDER} is not a folder`, { hint: 'Move it away.' })
  if (isFolder(join(root, path))) throw new RalphError('bad-file', `${path} is a folder`, { hint: 'Move it away.' })
  return join(root, path)
}
