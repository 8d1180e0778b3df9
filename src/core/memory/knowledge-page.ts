/**
 * One knowledge page as a file: front matter between two lines `---`, read line by line, then the body. Unknown lines of the front matter,
 * from a person or another tool, are kept. For a file that cannot be parsed, the result has the line and the reason.
 */
import type { Instant } from '../ids.ts'
import { parseJson } from '../text/json.ts'
import { splitPageByAuthor, joinAuthorTexts, type PageAuthorTexts } from './page-authors.ts'

export interface KnowledgePage extends PageAuthorTexts {
  title: string
  /** In lower case, at least one. */
  tags: string[]
  feature: string | null
  /** As written in the file. */
  createdAt: string | null
  updatedAt: string | null
  /** Unknown lines of the front matter. */
  others: string[]
}

export type ParsedPage = { is: 'read'; entry: KnowledgePage } | { is: 'broken'; line: number; why: string }

const MARK = '---'

export function parseKnowledgePage(text: string): ParsedPage {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  if (lines[first]?.trimEnd() !== MARK)
    return broken(Math.max(0, first), 'it does not start with front matter (a line ---)')
  const length = lines.slice(first + 1).findIndex((line) => line.trimEnd() === MARK)
  if (length === -1) return broken(first, 'its front matter does not end: the closing line --- is missing')
  const end = first + 1 + length
  const { at, again, ...entry } = readHead(lines.slice(first + 1, end))
  if (again !== null) return broken(lineOf(again.index, first), `it sets ${again.key} twice`)
  if (entry.title === '') return broken(lineOf(at.title, first), 'it has no title; add title: "…"')
  if (entry.tags.length === 0) return broken(lineOf(at.tags, first), 'it has no tags; add tags: [a, b]')
  return { is: 'read', entry: { ...entry, ...splitPageByAuthor(lines.slice(end + 1).join('\n')) } }
}

function lineOf(inHead: number | undefined, first: number): number {
  return inHead === undefined ? first : first + 1 + inHead
}

function broken(index: number, why: string): ParsedPage {
  return { is: 'broken', line: index + 1, why }
}

interface Head extends Omit<KnowledgePage, keyof PageAuthorTexts> {
  at: Partial<Record<Key, number>>
  /** The second occurrence of a key: it is unclear which of the two is meant. */
  again: { key: Key; index: number } | null
}

const KEYS = ['title', 'tags', 'feature', 'created_at', 'updated_at'] as const
type Key = (typeof KEYS)[number]
const LINE = /^([A-Za-z_][\w-]*)\s*:(.*)$/

function readHead(lines: string[]): Head {
  const values: Partial<Record<Key, string>> = {}
  const at: Head['at'] = {}
  const others: string[] = []
  let tags: string[] = []
  let again: Head['again'] = null
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const [, name = '', first = ''] = LINE.exec(line) ?? []
    const key = KEYS.find((one) => one === name.toLowerCase())
    if (key === undefined) {
      if (line.trim() !== '') others.push(line)
      continue
    }
    if (at[key] !== undefined) again ??= { key, index }
    at[key] = index
    const more = furtherLines(key, first.trim(), lines.slice(index + 1)).map((one) => one.trim())
    index += more.length
    if (key === 'tags') tags = tagsIn(first.trim(), more)
    else values[key] = more.length === 0 ? unquoted(first) : more.join(' ').trim()
  }
  return {
    title: values.title ?? '',
    tags,
    feature: values.feature || null,
    createdAt: values.created_at || null,
    updatedAt: values.updated_at || null,
    others,
    at,
    again,
  }
}

/** The continuation lines of a key's value: a list, or a text after `|` or `>`. */
function furtherLines(key: Key, first: string, after: string[]): string[] {
  const upTo = (end: number): string[] => after.slice(0, end === -1 ? after.length : end)
  if (key !== 'tags') return /^[|>][+-]?$/.test(first) ? upTo(after.findIndex((line) => /^\S/.test(line))) : []
  if (first === '') return upTo(after.findIndex((line) => !ITEM.test(line)))
  if (!first.startsWith('[') || first.includes(']')) return []
  const list = upTo(after.findIndex((line) => LINE.test(line)))
  return list.slice(0, list.findIndex((line) => line.includes(']')) + 1)
}

const ITEM = /^\s*-\s+(.*)$/

function tagsIn(first: string, more: string[]): string[] {
  if (first === '') return normalizeTags(more.map((line) => unquoted(withoutRemark(ITEM.exec(line)?.[1] ?? ''))))
  const list = [first, ...more].join(' ')
  const end = list.lastIndexOf(']')
  const inside = list.startsWith('[') ? list.slice(1, end === -1 ? undefined : end) : withoutRemark(list)
  return normalizeTags(inside.split(',').map(unquoted))
}

function withoutRemark(value: string): string {
  return value.replace(/\s#.*$/, '')
}

/** Removes one pair of quotes, so that a title may contain others; reads the escapes of JSON and YAML. */
function unquoted(value: string): string {
  const text = value.trim()
  if (!/^(["']).*\1$/.test(text) || text.length < 2) return text
  const inside = text.slice(1, -1)
  if (text.startsWith("'")) return inside.replaceAll("''", "'").trim()
  const parsed = parseJson(text)
  const escaped = parsed.ok && typeof parsed.value === 'string' ? parsed.value : inside
  return (/\p{Cc}/u.test(escaped) ? inside : escaped).trim()
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** Tags as they are compared and written: lower case, without duplicates and without characters that end a list. */
export function normalizeTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) =>
    tag
      .normalize('NFC')
      .toLowerCase()
      .replace(/[\s,[\]"']+/g, ' ')
      .trim(),
  )
  return [...new Set(clean)].filter((tag) => tag !== '')
}

export function renderKnowledgePage({
  title,
  tags,
  feature,
  createdAt,
  updatedAt,
  others,
  ...words
}: KnowledgePage): string {
  const head = [
    `title: ${quoted(title)}`,
    `tags: [${tags.join(', ')}]`,
    ...(feature === null ? [] : [`feature: ${quoted(feature)}`]),
    ...(createdAt === null ? [] : [`created_at: ${quoted(createdAt)}`]),
    ...(updatedAt === null ? [] : [`updated_at: ${quoted(updatedAt)}`]),
    ...others,
  ]
  return `${[MARK, ...head, MARK, '', joinAuthorTexts(words)].join('\n')}\n`
}

/** The text of a page with a new `updated_at`; everything else stays the same. */
export function withUpdatedAt(text: string, at: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findIndex((line, index) => index > first && line.trimEnd() === MARK)
  const old = lines.findIndex((line, index) => index < end && /^updated_at\s*:/.test(line))
  const said = `updated_at: "${at}"${lines[end]?.endsWith('\r') === true ? '\r' : ''}`
  return (old === -1 ? lines.toSpliced(end, 0, said) : lines.with(old, said)).join('\n')
}

/** A project changes much in three months. An older page is marked as old but never removed: it may still be true. */
export const STALE_DAYS = 90
const DAY_MS = 86_400_000

/** Days since the page was last updated; null: it has no date. */
export function ageInDays({ createdAt, updatedAt }: KnowledgePage, at: Instant): number | null {
  const touched = Math.max(...[createdAt, updatedAt].map((text) => Date.parse(text ?? '') || -Infinity))
  return Number.isFinite(touched) ? Math.max(0, Math.floor((at - touched) / DAY_MS)) : null
}

export function isStalePage(entry: KnowledgePage, at: Instant): boolean {
  return (ageInDays(entry, at) ?? 0) > STALE_DAYS
}
