/** What of a project's knowledge a task is told: chosen once, when its claim begins, so that all of its visits are told the same. */
import type { Instant } from '../ids.ts'
import type { TaskTexts } from '../prompt/task-texts.ts'
import { field, number, parseObject, text, texts } from '../text/json.ts'
import { ageInDays, isStale } from './knowledge-page.ts'
import { matchPages, type KnowledgeQuery, type KnowledgeFile } from './match-pages.ts'
import { fullPageText } from './page-text.ts'

export interface RecalledKnowledge {
  entries: RecalledEntry[]
  /** What could not be read. */
  remarks: string[]
}

export interface RecalledEntry {
  /** The file's path in the project. */
  from: string
  title: string
  tags: string[]
  body: string
  /** Days since somebody touched it, where these are many. */
  old: number | null
}

export const NOTHING_RECALLED: RecalledKnowledge = { entries: [], remarks: [] }

/** What a task is about, in the words that knowledge is looked for by. */
export function queryForTask({ task, feature }: Pick<TaskTexts, 'task' | 'feature'>): KnowledgeQuery {
  const { title, description, criteria } = task
  return { text: [title, description, ...criteria].join('\n'), feature: feature?.name ?? null }
}

/** More than these never fit into a prompt. */
const ENTRIES_MAX = 12

export function recall(
  files: readonly KnowledgeFile[],
  about: KnowledgeQuery,
  { at, pathOf }: { at: Instant; pathOf: (name: string) => string },
): RecalledEntry[] {
  return matchPages(files, about)
    .slice(0, ENTRIES_MAX)
    .map(({ name, entry }) => ({
      from: pathOf(name),
      title: entry.title,
      tags: entry.tags,
      body: fullPageText(entry),
      old: isStale(entry, at) ? ageInDays(entry, at) : null,
    }))
}

/** As it was kept; null: it is not what we kept. */
export function readRecalled(kept: string): RecalledKnowledge | null {
  const object = parseObject(kept)
  const list = field(object, 'entries')
  if (!Array.isArray(list)) return null
  const entries = list.map((one: unknown) => ({
    from: text(field(one, 'from')) ?? '',
    title: text(field(one, 'title')) ?? '',
    tags: texts(field(one, 'tags')) ?? [],
    body: text(field(one, 'body')) ?? '',
    old: number(field(one, 'old')),
  }))
  return { entries, remarks: texts(field(object, 'remarks')) ?? [] }
}
