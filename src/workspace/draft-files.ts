/**
 * The files of a draft: its papers, the transcript, and what it is made from. Nothing is read or written through a link: whoever may write
 * into the project must not choose another place for our words.
 */
import { dirname, join } from 'node:path'
import { INTERVIEW_FILE, SOURCE_FILE, withSaid, type SaidEntry } from '../domain/draft/interview.ts'
import { paperIn } from '../domain/draft/draft.ts'
import { RalphError } from '../domain/error.ts'
import { PAPER_BYTES, PAPER_KINDS, paperProblems, type PaperKind } from '../domain/feature/paper.ts'
import { ensureFolder, sizeOf, writeAtomic } from '../system/files/files.ts'
import { readInside } from '../system/files/inside.ts'
import { isTaken } from '../system/files/links.ts'
import { isLink } from '../system/files/plain-file.ts'

export interface PaperFound {
  there: boolean
  bytes: number
  /** In words to the agent; none: it is whole. */
  problems: string[]
}

export function findPaper(root: string, folder: string, paper: PaperKind): PaperFound {
  const path = paperIn(folder, paper)
  const file = join(root, path)
  if (!isTaken(file)) return { there: false, bytes: 0, problems: [] }
  const bytes = sizeOf(file) ?? 0
  const link = linkOnTheWay(root, path)
  if (link !== null) return { there: true, bytes, problems: [`${link} is a link: write a plain file`] }
  const read = readInside(root, path, { max: PAPER_BYTES[paper] })
  if (read.is === 'unread') return { there: true, bytes, problems: [`it ${read.why}`] }
  if (!read.whole)
    return { there: true, bytes, problems: [`it is larger than ${PAPER_BYTES[paper] / 1024} KB`] }
  return { there: true, bytes, problems: paperProblems(paper, read.text) }
}

/** By their paths. */
export function papersIn(root: string, folder: string): string[] {
  return PAPER_KINDS.map((paper) => paperIn(folder, paper)).filter((path) => isTaken(join(root, path)))
}

const INTERVIEW_MAX = 4 * 1024 * 1024

/** Empty: nothing was said yet, or it cannot be read. */
export function readInterview(root: string, folder: string): string {
  const read = readInside(root, `${folder}/${INTERVIEW_FILE}`, { max: INTERVIEW_MAX })
  return read.is === 'read' ? read.text : ''
}

/** Said twice it stands there once. */
export function keepSaid(root: string, folder: string, said: SaidEntry): void {
  const path = `${folder}/${INTERVIEW_FILE}`
  const before = readInterview(root, folder)
  const after = withSaid(before, said)
  if (after !== before) write(root, path, after)
}

/** A hundred times what a prompt has room for. */
const SOURCE_MAX = 4 * 1024 * 1024

/** What the papers are made from; null: nothing. */
export function readSource(root: string, folder: string): { path: string; text: string } | null {
  const path = `${folder}/${SOURCE_FILE}`
  const read = readInside(root, path, { max: SOURCE_MAX })
  return read.is === 'read' ? { path, text: read.text } : null
}

export function keepSource(root: string, folder: string, text: string): void {
  write(root, `${folder}/${SOURCE_FILE}`, text)
}

function write(root: string, path: string, text: string): void {
  const link = linkOnTheWay(root, path)
  if (link !== null)
    throw new RalphError('bad-file', `${link} is a link, and nothing is written through one`, {
      hint: 'Put a folder or a file of the project in its place.',
    })
  ensureFolder(dirname(join(root, path)), 0o755)
  writeAtomic(join(root, path), text, { mode: 0o644 })
}

/** The first of the folders on the way, or the file, that is a link. */
function linkOnTheWay(root: string, path: string): string | null {
  const parts = path.split('/')
  const ways = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
  return ways.find((way) => isLink(join(root, way))) ?? null
}
