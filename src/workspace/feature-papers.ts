/**
 * The papers of features on disk: `.ralph/features/<name>/`. Nothing is read, moved or written through a link: whoever can put one there
 * would choose what is accepted, or where it is kept.
 */
import { join } from 'node:path'
import { RalphError } from '../domain/error.ts'
import { featureFolder, PAPER_BYTES, paperPath, type FeaturePaper } from '../domain/feature/paper.ts'
import { isFolder, listFolder } from '../system/files/files.ts'
import { readInside } from '../system/files/inside.ts'
import { isTaken } from '../system/files/links.ts'
import { isLink } from '../system/files/plain-file.ts'

/** `missing`: nothing lies there. `unread`: something does that cannot be taken for it. */
export type PaperThere =
  | { is: 'read'; path: string; text: string }
  | { is: 'missing'; path: string }
  | { is: 'unread'; path: string; why: string }

export function readPaper(root: string, name: string, kind: FeaturePaper): PaperThere {
  const path = paperPath(name, kind)
  const link = linkOnTheWay(root, path)
  if (link !== null) return { is: 'unread', path, why: link === path ? NO_LINKS : `${link} is a link` }
  if (!isTaken(join(root, path))) return { is: 'missing', path }
  const read = readInside(root, path, { max: PAPER_BYTES[kind] })
  if (read.is === 'unread') return { is: 'unread', path, why: `it ${read.why}` }
  if (!read.whole)
    return {
      is: 'unread',
      path,
      why: `it is larger than ${PAPER_BYTES[kind] / 1024} KB, the most that is read`,
    }
  return { is: 'read', path, text: read.text }
}

const NO_LINKS = 'it is a link, and links are not followed here'

/** Names of the folders in which papers lie. */
export function foldersOfPapers(root: string): string[] {
  if (linkOnTheWay(root, FEATURES) !== null) return []
  return listFolder(join(root, FEATURES))
    .filter((name) => isFolder(join(root, FEATURES, name)))
    .toSorted()
}

const FEATURES = featureFolder('').replace(/\/$/, '')

/** The first of the folders on the way, or the file, that is a link. */
function linkOnTheWay(root: string, path: string): string | null {
  const parts = path.split('/')
  const ways = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
  return ways.find((way) => isLink(join(root, way))) ?? null
}

/** For who writes there. */
export function refuseLinks(root: string, path: string): void {
  const link = linkOnTheWay(root, path)
  if (link === null) return
  throw new RalphError('bad-file', `${link} is a link, and papers are not kept behind one`, {
    hint: 'Put a folder or a file of the project in its place.',
  })
}
