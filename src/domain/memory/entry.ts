/**
 * One entry of knowledge as a file: front matter between two lines `---`, read line by line, then the body. What a person or another tool
 * wrote between the lines and we do not know stays as it stands. A file that cannot be read as one says in which line, and why.
 */
import type { Instant } from '../ids.ts'
import { readWords, writeWords, type Words } from './told.ts'

export interface Knowledge extends Words {
  title: string
  /** In small letters, at least one. */
  tags: string[]
  feature: string | null
  /** As they stand there. */
  createdAt: string | null
  updatedAt: string | null
  /** Lines of the front matter that are not ours. */
  others: string[]
}

export type ReadEntry = { is: 'read'; entry: Knowledge } | { is: 'broken'; line: number; why: string }

const MARK = '---'

export function readEntry(text: string): ReadEntry {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  if (lines[first]?.trimEnd() !== MARK)
    return broken(Math.max(0, first), 'it does not begin with a line ---, and front matter after it')
  const length = lines.slice(first + 1).findIndex((line) => line.trimEnd() === MARK)
  if (length === -1) return broken(first, 'its front matter has no end: a line --- is missing')
  const end = first + 1 + length
  const head = readHead(lines.slice(first + 1, end))
  if (head.title === '') return broken(lineOf(head.at.title, first), 'it has no title: "…"')
  if (head.tags.length === 0) return broken(lineOf(head.at.tags, first), 'it has no tags: [a, b]')
  const { at: _, ...entry } = head
  return { is: 'read', entry: { ...entry, ...readWords(lines.slice(end + 1).join('\n')) } }
}

function lineOf(inHead: number | null, first: number): number {
  return inHead === null ? first : first + 1 + inHead
}

function broken(index: number, why: string): ReadEntry {
  return { is: 'broken', line: index + 1, why }
}

type Head = Omit<Knowledge, keyof Words> & { at: { title: number | null; tags: number | null } }

function readHead(lines: string[]): Head {
  const head: Head = {
    title: '',
    tags: [],
    feature: null,
    createdAt: null,
    updatedAt: null,
    others: [],
    at: { title: null, tags: null },
  }
  let inTags = false
  for (const [index, line] of lines.entries()) {
    const [, key = '', value = ''] = /^([A-Za-z_][\w-]*)\s*:(.*)$/.exec(line) ?? []
    const item = inTags ? /^\s*-\s+(.*)$/.exec(line)?.[1] : undefined
    if (item !== undefined) {
      head.tags = cleanTags([...head.tags, unquoted(item)])
      continue
    }
    inTags = false
    if (key === 'title') [head.title, head.at.title] = [unquoted(value), index]
    else if (key === 'feature') head.feature = unquoted(value) || null
    else if (key === 'created_at') head.createdAt = unquoted(value) || null
    else if (key === 'updated_at') head.updatedAt = unquoted(value) || null
    else if (key === 'tags') {
      head.at.tags = index
      head.tags = cleanTags(
        value
          .trim()
          .replace(/^\[|\]$/g, '')
          .split(',')
          .map(unquoted),
      )
      inTags = head.tags.length === 0
    } else if (line.trim() !== '') head.others.push(line)
  }
  return head
}

/** One pair of quotes, so that a title may have others in it. */
function unquoted(value: string): string {
  const text = value.trim()
  return /^(["']).*\1$/.test(text) && text.length > 1 ? text.slice(1, -1).trim() : text
}

/** As they are compared and written: small letters, each once, nothing in them that ends a list. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) =>
    tag
      .normalize('NFC')
      .toLowerCase()
      .replace(/[\s,[\]"']+/g, ' ')
      .trim(),
  )
  return [...new Set(clean)].filter((tag) => tag !== '')
}

export function writeEntry({
  title,
  tags,
  feature,
  createdAt,
  updatedAt,
  others,
  ...words
}: Knowledge): string {
  const head = [
    `title: "${title}"`,
    `tags: [${tags.join(', ')}]`,
    ...(feature === null ? [] : [`feature: "${feature}"`]),
    ...(createdAt === null ? [] : [`created_at: "${createdAt}"`]),
    ...(updatedAt === null ? [] : [`updated_at: "${updatedAt}"`]),
    ...others,
  ]
  return `${[MARK, ...head, MARK, '', writeWords(words)].join('\n')}\n`
}

/** An entry's text with the day it was touched, and all else as somebody wrote it. */
export function touched(text: string, at: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findIndex((line, index) => index > first && line.trimEnd() === MARK)
  const old = lines.findIndex((line, index) => index < end && /^updated_at\s*:/.test(line))
  const said = `updated_at: "${at}"${lines[end]?.endsWith('\r') === true ? '\r' : ''}`
  return (old === -1 ? lines.toSpliced(end, 0, said) : lines.with(old, said)).join('\n')
}

/** A project changes much in a quarter of a year. What is older is said to be, and never taken away: it may be as true as it was. */
export const STALE_DAYS = 90
const DAY_MS = 86_400_000

/** So many days it was not touched; null: nobody wrote down when. */
export function ageInDays({ createdAt, updatedAt }: Knowledge, at: Instant): number | null {
  const touched = Math.max(
    ...[createdAt, updatedAt].map((text) => Date.parse(text ?? '') || Number.NEGATIVE_INFINITY),
  )
  return Number.isFinite(touched) ? Math.max(0, Math.floor((at - touched) / DAY_MS)) : null
}

export function isStale(entry: Knowledge, at: Instant): boolean {
  return (ageInDays(entry, at) ?? 0) > STALE_DAYS
}
