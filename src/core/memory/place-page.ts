/**
 * Where something new that was learnt belongs: with what is known by the same title, or in a file of its own. Only entries that
 * could be read are ever replaced; a name that is taken by anything else is passed by.
 */
import type { ReportedKnowledge } from '../agent-output/agent-report.ts'
import { utf8Bytes } from '../text/sanitize.ts'
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
import { stripMarks, type PageText } from './page-text.ts'

/** A folder with knowledge in it. */
export interface KnowledgeFolder {
  /** What could be read, by name. */
  files: readonly KnowledgeFile[]
  /** Names of all that lies there, whatever it is. */
  taken: readonly string[]
}

export type PagePlacement =
  /** `was`: what it takes the place of. */
  | { is: 'written'; name: string; text: string; entry: KnowledgePage; was: KnowledgePage | null }
  /** It says already what is there. */
  | { is: 'same'; name: string; entry: KnowledgePage }
  | { is: 'refused'; why: string }

export interface PageOrigin {
  /** In ISO's words. */
  at: string
  /** Whose task it was learnt at. */
  feature: string | null
  /** What a person says takes the place of all that is there; what an agent says, of what an agent said. */
  by: 'person' | 'agent'
}

export function placePage(folder: KnowledgeFolder, said: ReportedKnowledge, saying: PageOrigin): PagePlacement {
  const title = said.title.replace(/\s+/g, ' ').trim()
  const why = pageTitleProblem(title) ?? tagsProblem(said.tags) ?? (said.body.trim() === '' ? bodyProblem('') : null)
  if (why !== null) return { is: 'refused', why }
  const fresh = { title, tags: normalizeTags(said.tags), ...wordsSaid(said.body, saying) }
  const known = folder.files.find(({ entry }) => titleKey(entry.title) === titleKey(title))
  return known === undefined ? placedNew(folder, fresh, saying) : placedAt(known, fresh, saying)
}

type Fresh = Pick<KnowledgePage, 'title' | 'tags'> & PageText

function wordsSaid(said: string, { by }: PageOrigin): PageText {
  const text = truncateBody(stripMarks(said.replaceAll('\r\n', '\n')))
  return by === 'person' ? { body: text, told: null } : { body: '', told: text }
}

function placedNew({ taken }: KnowledgeFolder, fresh: Fresh, { at, feature }: PageOrigin): PagePlacement {
  if (taken.length >= FILES_MAX)
    return { is: 'refused', why: `there are ${taken.length} files, and ${FILES_MAX} are the most` }
  const entry = { ...fresh, feature, createdAt: at, updatedAt: null, others: [] }
  const name = freeName(fileSlugOf(fresh.title), taken)
  return { is: 'written', name, text: renderKnowledgePage(entry), entry, was: null }
}

function placedAt({ name, entry: was }: KnowledgeFile, fresh: Fresh, { at, feature, by }: PageOrigin): PagePlacement {
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
  if (utf8Bytes(text) > FILE_MAX_BYTES)
    return {
      is: 'refused',
      why: `${name} has that title, and would be larger than ${FILE_MAX_BYTES / 1024} KB`,
    }
  return { is: 'written', name, text, entry: changed, was }
}

/** Said again and again with others, an entry would have all tags of the project. */
function joinedTags(were: readonly string[], fresh: readonly string[]): string[] {
  return normalizeTags([...were, ...fresh]).slice(0, Math.max(were.length, TAGS_MAX))
}

/**
 * Pages of agents that may be about what another page is about: one title within the other, and most tags in common. Two things may be
 * called so as well, "Testing" and "Testing rules": a person is told, and nothing is joined.
 */
export function similarPages(files: readonly KnowledgeFile[]): Map<KnowledgeFile, KnowledgeFile> {
  const found = new Map<KnowledgeFile, KnowledgeFile>()
  const titles = files.map((file) => ({ file, ...comparable(file.entry.title) }))
  for (const one of titles.filter(({ file }) => file.entry.body === '')) {
    const akin = titles.find(
      (other) =>
        other.key !== one.key &&
        (isWithin(one, other) || isWithin(other, one)) &&
        overlap(other.file.entry.tags, one.file.entry.tags) > 0.5,
    )
    // Of two pages of agents, each akin to the other, one is enough to say.
    if (akin !== undefined && found.get(akin.file) !== one.file) found.set(one.file, akin.file)
  }
  return found
}

interface Comparable {
  key: string
  /** Between blanks; null: words are not set apart in it. */
  words: string | null
}

function comparable(title: string): Comparable {
  const key = titleKey(title)
  const words = ` ${key.match(/[\p{L}\p{N}\p{M}]+/gu)?.join(' ') ?? key} `
  return { key, words: UNSPACED_SCRIPTS.test(key) ? null : words }
}

/** Word for word: `go` is not within `algorithms`. */
function isWithin(title: Comparable, other: Comparable): boolean {
  return title.words === null ? other.key.includes(title.key) : (other.words ?? other.key).includes(title.words)
}

/** How many they have in common, of the smaller number. */
function overlap(some: readonly string[], others: readonly string[]): number {
  const common = some.filter((tag) => others.includes(tag)).length
  return common / Math.max(1, Math.min(some.length, others.length))
}

/** Names that differ only in capitals are one file on many disks. */
function freeName(slug: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.normalize('NFC').toLowerCase()))
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `${slug}.md` : `${slug}-${n}.md`
    if (!names.has(name)) return name
  }
}
