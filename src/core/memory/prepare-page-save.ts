/**
 * Decides where new knowledge is saved: in the page with the same title, or in a new file. Only pages that could be parsed are ever
 * replaced; a file name that is taken otherwise is skipped.
 */
import type { ReportedKnowledge } from '../agent-output/agent-report.ts'
import { utf8Length } from '../text/sanitize.ts'
import { normalizeTags, renderKnowledgePage, type KnowledgePage } from './knowledge-page.ts'
import {
  bodyProblem,
  truncateBody,
  FILE_MAX_BYTES,
  FILES_MAX,
  TAGS_MAX,
  tagsProblem,
  pageTitleProblem,
} from './knowledge-limits.ts'
import { titleKey, UNSPACED_SCRIPTS, type KnowledgeFile } from './match-pages.ts'
import { fileSlugOf } from './slug.ts'
import { stripAuthorMarks, type PageAuthorTexts } from './page-authors.ts'

/** The folder of the knowledge pages. */
export interface KnowledgeFolder {
  /** The pages that could be parsed, by name. */
  files: readonly KnowledgeFile[]
  /** Names of all entries of the folder. */
  taken: readonly string[]
}

export type PreparedPageSave =
  /** `was`: the page that it replaces. */
  | { is: 'written'; name: string; text: string; entry: KnowledgePage; was: KnowledgePage | null }
  /** The page already has this content. */
  | { is: 'same'; name: string; entry: KnowledgePage }
  | { is: 'refused'; why: string }

export interface PageOrigin {
  /** ISO 8601. */
  at: string
  /** The feature of the task during which it was learnt. */
  feature: string | null
  /** A person's text replaces the whole page; an agent's text replaces only an agent's text. */
  by: 'person' | 'agent'
}

export function preparePageSave(
  folder: KnowledgeFolder,
  said: ReportedKnowledge,
  saying: PageOrigin,
): PreparedPageSave {
  const title = said.title.replace(/\s+/g, ' ').trim()
  const why = pageTitleProblem(title) ?? tagsProblem(said.tags) ?? (said.body.trim() === '' ? bodyProblem('') : null)
  if (why !== null) return { is: 'refused', why }
  const fresh = { title, tags: normalizeTags(said.tags), ...authorTextsOf(said.body, saying) }
  const known = folder.files.find(({ entry }) => titleKey(entry.title) === titleKey(title))
  return known === undefined ? prepareNewPage(folder, fresh, saying) : preparePageUpdate(known, fresh, saying)
}

type Fresh = Pick<KnowledgePage, 'title' | 'tags'> & PageAuthorTexts

function authorTextsOf(said: string, { by }: PageOrigin): PageAuthorTexts {
  const text = truncateBody(stripAuthorMarks(said.replaceAll('\r\n', '\n')))
  return by === 'person' ? { body: text, told: null } : { body: '', told: text }
}

function prepareNewPage({ taken }: KnowledgeFolder, fresh: Fresh, { at, feature }: PageOrigin): PreparedPageSave {
  if (taken.length >= FILES_MAX)
    return { is: 'refused', why: `there are ${taken.length} files; the limit is ${FILES_MAX}` }
  const entry = { ...fresh, feature, createdAt: at, updatedAt: null, others: [] }
  const name = freeName(fileSlugOf(fresh.title), taken)
  return { is: 'written', name, text: renderKnowledgePage(entry), entry, was: null }
}

function preparePageUpdate(
  { name, entry: was }: KnowledgeFile,
  fresh: Fresh,
  { at, feature, by }: PageOrigin,
): PreparedPageSave {
  const tags = joinedTags(was.tags, fresh.tags)
  const isPersons = was.body !== ''
  const entry: KnowledgePage =
    by === 'person'
      ? { ...was, ...fresh, tags, feature: feature ?? was.feature }
      : {
          ...was,
          tags,
          feature: isPersons ? was.feature : (feature ?? was.feature),
          told: fresh.told === was.body ? was.told : fresh.told,
        }
  if (renderKnowledgePage(entry) === renderKnowledgePage(was)) return { is: 'same', name, entry: was }
  const changed = { ...entry, updatedAt: at }
  const text = renderKnowledgePage(changed)
  if (utf8Length(text) > FILE_MAX_BYTES)
    return {
      is: 'refused',
      why: `${name} already has this title, and this text would make it larger than ${FILE_MAX_BYTES / 1024} KB`,
    }
  return { is: 'written', name, text, entry: changed, was }
}

/** Limits the tags: a page that is reported often with different tags would collect all tags of the project. */
function joinedTags(were: readonly string[], fresh: readonly string[]): string[] {
  return normalizeTags([...were, ...fresh]).slice(0, Math.max(were.length, TAGS_MAX))
}

/**
 * Pages of agents that may cover the same subject as another page: one title contains the other, and most tags are the same. They may
 * also be about different things ("Testing" and "Testing rules"), so Ralph reports them to a person and merges nothing.
 */
export function findSimilarPagePairs(files: readonly KnowledgeFile[]): Map<KnowledgeFile, KnowledgeFile> {
  const found = new Map<KnowledgeFile, KnowledgeFile>()
  const titles = files.map((file) => ({ file, ...comparable(file.entry.title) }))
  for (const one of titles.filter(({ file }) => file.entry.body === '')) {
    const akin = titles.find(
      (other) =>
        other.key !== one.key &&
        (isWithin(one, other) || isWithin(other, one)) &&
        overlap(other.file.entry.tags, one.file.entry.tags) > 0.5,
    )
    // For two similar pages of agents, one report is enough.
    if (akin !== undefined && found.get(akin.file) !== one.file) found.set(one.file, akin.file)
  }
  return found
}

interface Comparable {
  key: string
  /** The words between spaces; null: the script has no spaces between words. */
  words: string | null
}

function comparable(title: string): Comparable {
  const key = titleKey(title)
  const words = ` ${key.match(/[\p{L}\p{N}\p{M}]+/gu)?.join(' ') ?? key} `
  return { key, words: UNSPACED_SCRIPTS.test(key) ? null : words }
}

/** Compares whole words: `go` is not within `algorithms`. */
function isWithin(title: Comparable, other: Comparable): boolean {
  return title.words === null ? other.key.includes(title.key) : (other.words ?? other.key).includes(title.words)
}

/** The share of common tags, relative to the shorter list. */
function overlap(some: readonly string[], others: readonly string[]): number {
  const common = some.filter((tag) => others.includes(tag)).length
  return common / Math.max(1, Math.min(some.length, others.length))
}

/** Compares names without case: on many disks such names are one file. */
function freeName(slug: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.normalize('NFC').toLowerCase()))
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `${slug}.md` : `${slug}-${n}.md`
    if (!names.has(name)) return name
  }
}
