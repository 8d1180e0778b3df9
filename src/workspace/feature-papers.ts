/**
 * The papers of features on disk: `.ralph/features/<name>/`. Nothing is read, moved or written through a link: whoever can put one there
 * would choose what is accepted, or where it is kept.
 */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { RalphError } from '../domain/error.ts'
import {
  featureFolder,
  PAPER_BYTES,
  paperPath,
  type FeaturePaper,
  type PaperKind,
} from '../domain/feature/paper.ts'
import type { Instant } from '../domain/ids.ts'
import { isoTime } from '../system/clock.ts'
import { writeTrouble } from '../system/files/file-error.ts'
import { ensureFolder, isFolder, listFolder } from '../system/files/files.ts'
import { moveFile } from '../system/files/folders.ts'
import { readInside } from '../system/files/inside.ts'
import { isTaken } from '../system/files/links.ts'
import { isLink } from '../system/files/plain-file.ts'
import { createFile } from '../system/files/replace-file.ts'

/** `missing`: nothing lies there. `unread`: something does that cannot be taken for it. */
export type PaperThere =
  | { is: 'read'; path: string; text: string }
  | { is: 'missing'; path: string }
  | { is: 'unread'; path: string; why: string; isLink: boolean }

export function readPaper(root: string, name: string, kind: FeaturePaper): PaperThere {
  return readPaperAt(root, paperPath(name, kind), kind)
}

/** One that lies elsewhere: an earlier tool noted where. A folder that nobody may look into hides its own papers, not those of others. */
export function readPaperAt(root: string, path: string, kind: PaperKind): PaperThere {
  try {
    return paperAt(root, path, kind)
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return { is: 'unread', path, why: error.message, isLink: false }
  }
}

function paperAt(root: string, path: string, kind: PaperKind): PaperThere {
  const link = linkOnTheWay(root, path)
  if (link !== null)
    return { is: 'unread', path, why: link === path ? NO_LINKS : `${link} is a link`, isLink: true }
  if (!isTaken(resolve(root, path))) return { is: 'missing', path }
  const read = readInside(root, path, { max: PAPER_BYTES[kind] })
  if (read.is === 'unread') return { is: 'unread', path, why: `it ${read.why}`, isLink: false }
  if (!read.whole)
    return {
      is: 'unread',
      path,
      why: `it is larger than ${PAPER_BYTES[kind] / 1024} KB, the most that is read`,
      isLink: false,
    }
  return { is: 'read', path, text: read.text }
}

const NO_LINKS = 'it is a link, and links are not followed here'
export const INSTEAD_OF_LINK = 'Put a folder or a file of the project in its place.'

/** Names of the folders in which papers lie. A link in the place of one counts: who looks at it is told why nothing of it is read. */
export function foldersOfPapers(root: string): string[] {
  if (featuresLink(root) !== null) return []
  return listFolder(join(root, FEATURES))
    .filter((name) => isFolder(join(root, FEATURES, name)))
    .toSorted()
}

/** What makes all papers unreadable at once; null: nothing does. */
export function featuresLink(root: string): string | null {
  return linkOnTheWay(root, FEATURES)
}

const FEATURES = '.ralph/features'
/** What was deleted; no name of a feature begins with a dot. */
const DELETED = `${FEATURES}/.deleted`

/** Moves all papers of a feature out of the way; where they are now, or null: there were none. */
export function removePapers(root: string, name: string, at: Instant): string | null {
  const folder = featureFolder(name)
  if (!isTaken(join(root, folder))) return null
  refuseUnmovable(root, name)
  const to = freeName(root, (end) => `${DELETED}/${name}-${stampOf(at)}${end}`)
  ensureFolder(join(root, DELETED), 0o755)
  moveFile(join(root, folder), join(root, to))
  return to
}

/** Asked beforehand: nothing is deleted whose papers cannot be kept. */
export function refuseUnmovable(root: string, name: string): void {
  const folder = featureFolder(name)
  refuseLinks(root, folder)
  refuseLinks(root, DELETED)
  if (!isTaken(join(root, folder))) return
  if (isTaken(join(root, DELETED)) && !isFolder(join(root, DELETED)))
    throw new RalphError('io', `${DELETED} is no folder, and papers of deleted features are kept there`, {
      hint: 'Move it away, then run the same command again.',
    })
  // The folder itself too: it is told where it lies, and that is written into it.
  for (const path of [FEATURES, folder, DELETED]) refuseUnwritable(root, path)
}

/** The same, for papers that get another name beside themselves. */
export function refuseUnmovablePapers(root: string, name: string, kinds: readonly FeaturePaper[]): void {
  refusePapersBehindLinks(root, name, kinds)
  if (kinds.some((kind) => isTaken(join(root, paperPath(name, kind)))))
    refuseUnwritable(root, featureFolder(name))
}

function refuseUnwritable(root: string, path: string): void {
  const trouble = writeTrouble(join(root, path))
  if (trouble !== null) throw trouble
}

/** The same, for papers that stay where they are. */
export function refusePapersBehindLinks(root: string, name: string, kinds: readonly FeaturePaper[]): void {
  for (const kind of kinds) refuseLinks(root, paperPath(name, kind))
}

export interface SetAside {
  from: string
  to: string
}

/** Each paper under another name beside itself: who drafts the feature further finds none and writes it anew. */
export function setAsidePapers(
  root: string,
  name: string,
  kinds: readonly FeaturePaper[],
  at: Instant,
): SetAside[] {
  refusePapersBehindLinks(root, name, kinds)
  return kinds.flatMap((kind) => {
    const from = paperPath(name, kind)
    if (!isTaken(join(root, from))) return []
    const to = freeName(root, (end) => from.replace(/(\.\w+)$/, `.${stampOf(at)}${end}$1`))
    moveFile(join(root, from), join(root, to))
    return [{ from, to }]
  })
}

/** Where nothing lies yet. */
export function copyPaper(root: string, to: string, text: string): void {
  refuseLinks(root, to)
  ensureFolder(join(root, dirname(to)), 0o755)
  createFile(join(root, to), text, { mode: 0o644, durable: true })
}

/** The first that nothing has yet: two of one second must not meet. */
function freeName(root: string, name: (end: string) => string): string {
  let free = name('')
  for (let n = 2; isTaken(join(root, free)); n += 1) free = name(`-${n}`)
  return free
}

/** `20261117-130500`: to the second, as people look for it. */
function stampOf(at: Instant): string {
  return isoTime(at).slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
}

/** The first of the folders on the way, or the file, that is a link. */
function linkOnTheWay(root: string, path: string): string | null {
  if (isAbsolute(path)) return null
  const parts = path.split('/')
  const ways = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
  return ways.find((way) => isLink(join(root, way))) ?? null
}

/** For who writes there. */
export function refuseLinks(root: string, path: string): void {
  const link = linkOnTheWay(root, path)
  if (link === null) return
  throw new RalphError('bad-file', `${link} is a link, and papers are not kept behind one`, {
    hint: INSTEAD_OF_LINK,
  })
}
