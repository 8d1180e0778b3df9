/**
 * The files of a draft: its papers, the transcript, and what it is made from. Nothing is read or written through a link: whoever may write
 * into the project must not choose another place for our words.
 */
import { dirname, join } from 'node:path'
import {
  INTERVIEW_FILE,
  isUnfinished,
  SOURCE_FILE,
  withSaid,
  withTurn,
  type SaidEntry,
} from '../domain/feature/interview.ts'
import { PAPER_FILES, PAPER_KINDS, paperIn, paperProblems, type PaperKind } from '../domain/feature/paper.ts'
import { never } from '../domain/machine.ts'
import { ensureFolder, hashText, readIfThere, sizeOf, writeAtomic } from '../system/files/files.ts'
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
    case 'read': {
      const problems = isTemplate(found.text) ? [TEMPLATE] : paperProblems(paper, found.text)
      const isHalf = isUnfinished(readInterview(root, folder), {
        file: PAPER_FILES[paper],
        now: seal(found.text),
      })
      return { there: true, bytes, problems: problems.length === 0 && isHalf ? [HALF] : problems }
    }
    default:
      return never(found)
  }
}

/** An end that only looks like one is told from one by whoever writes it. */
const HALF =
  'it was being written when the turn was cut off, so nobody knows whether it is finished: read it to its end, add what is missing and leave the rest'

function seal(text: string): string {
  return hashText(text).slice(0, 12)
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

/** `from`: the papers that it is made from, which are to be as they were. */
export interface FolderBefore {
  /** Where copies of what was there lie. */
  before: string
  /** Where what was found instead is kept. */
  instead: string
  from: PaperKind[]
}

/**
 * Puts back what was there before the turn and is gone, or changed where it was to be left alone; a transcript only has to go on from what
 * it was. Gives the paths, and where what was there instead is kept; null: nothing was.
 */
export function putBackFolder(
  root: string,
  folder: string,
  { before: copies, instead, from }: FolderBefore,
): { back: string[]; instead: string | null } {
  const fixed = new Set([SOURCE_FILE, ...from.map((paper) => PAPER_FILES[paper])])
  const found = NAMES.flatMap((name) => {
    const before = readIfThere(join(copies, name))
    if (before === null) return []
    const path = `${folder}/${name}`
    const now = readInside(root, path, { max: KEPT_MAX })
    const text = now.is === 'read' ? now.text : null
    if (isAsItWas(root, path, { name, before, text, isFixed: fixed.has(name) })) return []
    return [{ name, path, before, text }]
  })
  const kept = found.flatMap(({ name, text }) =>
    text === null || name === INTERVIEW_FILE ? [] : [{ name, text }],
  )
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
  return isFixed ? text === before : isTaken(join(root, path))
}

const NAMES = [INTERVIEW_FILE, SOURCE_FILE, ...PAPER_KINDS.map((paper) => PAPER_FILES[paper])]
const KEPT_MAX = 4 * 1024 * 1024

const INTERVIEW_MAX = 4 * 1024 * 1024

/** Empty: nothing was said yet, or it cannot be read. */
export function readInterview(root: string, folder: string): string {
  const read = readInside(root, `${folder}/${INTERVIEW_FILE}`, { max: INTERVIEW_MAX })
  return read.is === 'read' ? read.text : ''
}

/** Something is there that a draft can be made or gone on from. */
export function hasGround(root: string, folder: string): boolean {
  return (
    readInterview(root, folder) !== '' ||
    readSource(root, folder) !== null ||
    papersIn(root, folder).length > 0
  )
}

/** Said twice it stands there once. */
export function keepSaid(root: string, folder: string, said: SaidEntry): void {
  const path = `${folder}/${INTERVIEW_FILE}`
  const before = readInterview(root, folder)
  const after = withSaid(before, said)
  if (after !== before) write(root, path, after)
}

/** A turn that is to write a paper begins; noted twice it stands there once. */
export function keepTurn(
  root: string,
  folder: string,
  { mark, paper }: { mark: string; paper: PaperKind },
): void {
  const found = readPaperAt(root, paperIn(folder, paper), paper)
  const before = found.is === 'read' ? seal(found.text) : null
  const interview = readInterview(root, folder)
  const begun = withTurn(interview, { mark, file: PAPER_FILES[paper], before })
  if (begun !== interview) write(root, `${folder}/${INTERVIEW_FILE}`, begun)
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
