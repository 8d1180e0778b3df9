/**
 * The files of a draft: its papers, the transcript, and what it is made from. Nothing is read or written through a link: whoever may write
 * into the project must not choose another place for our words.
 */
import { dirname, join } from 'node:path'
import { INTERVIEW_FILE, SOURCE_FILE, withSaid, type SaidEntry } from '../domain/draft/interview.ts'
import { PAPER_KINDS, paperIn, paperProblems, type PaperKind } from '../domain/feature/paper.ts'
import { never } from '../domain/machine.ts'
import { ensureFolder, readIfThere, sizeOf, writeAtomic } from '../system/files/files.ts'
import { readInside } from '../system/files/inside.ts'
import { isTaken } from '../system/files/links.ts'
import { readPaperAt, refuseLinks } from './feature-papers.ts'

export interface PaperFound {
  there: boolean
  bytes: number
  /** In words to the agent; none: it is whole. */
  problems: string[]
}

/** `isTemplate`: nobody has written into it. */
export function findPaper(
  root: string,
  folder: string,
  paper: PaperKind,
  isTemplate: (text: string) => boolean,
): PaperFound {
  const found = readPaperAt(root, paperIn(folder, paper), paper)
  const bytes = sizeOf(join(root, found.path)) ?? 0
  switch (found.is) {
    case 'missing':
      return { there: false, bytes: 0, problems: [] }
    case 'unread':
      return { there: true, bytes, problems: [found.why] }
    case 'read':
      if (isTemplate(found.text)) return { there: true, bytes, problems: [TEMPLATE] }
      return { there: true, bytes, problems: paperProblems(paper, found.text) }
    default:
      return never(found)
  }
}

const TEMPLATE = 'it is still the template that Ralph wrote: write your own in its place'

/** By their paths. */
export function papersIn(root: string, folder: string): string[] {
  return PAPER_KINDS.map((paper) => paperIn(folder, paper)).filter((path) => isTaken(join(root, path)))
}

/** What lies there before a turn is kept at another place: an agent may delete more than it is to write. */
export function keepFolder(root: string, folder: string, at: string): void {
  ensureFolder(at)
  for (const name of NAMES) {
    const read = readInside(root, `${folder}/${name}`, { max: KEPT_MAX })
    if (read.is === 'read' && read.whole) writeAtomic(join(at, name), read.text)
  }
}

/** What was there before the turn and is gone, by its path; a transcript that does not go on from what it was is gone too. */
export function putBackFolder(root: string, folder: string, at: string): string[] {
  return NAMES.flatMap((name) => {
    const before = readIfThere(join(at, name))
    const path = `${folder}/${name}`
    if (before === null || isStillThere(root, path, name === INTERVIEW_FILE ? before : '')) return []
    write(root, path, before)
    return [path]
  })
}

function isStillThere(root: string, path: string, beginning: string): boolean {
  if (!isTaken(join(root, path))) return false
  if (beginning === '') return true
  const read = readInside(root, path, { max: KEPT_MAX })
  return read.is === 'read' && read.text.startsWith(beginning.trimEnd())
}

const NAMES = [INTERVIEW_FILE, SOURCE_FILE, ...PAPER_KINDS.map((paper) => paperIn('', paper).slice(1))]
const KEPT_MAX = 4 * 1024 * 1024

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
  refuseLinks(root, path)
  ensureFolder(dirname(join(root, path)), 0o755)
  writeAtomic(join(root, path), text, { mode: 0o644 })
}
