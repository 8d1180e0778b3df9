/** The knowledge pages for a task's prompt: chosen once, when its claim begins, so that all attempts get the same pages. */
import type { Instant } from '../ids.ts'
import type { TaskTexts } from '../prompt/task-texts.ts'
import { ownField, asNumber, parseObject, asText, asTexts } from '../text/json.ts'
import { ageInDays, isStalePage } from './knowledge-page.ts'
import { matchPages, type KnowledgeQuery, type KnowledgeFile } from './match-pages.ts'
import { fullPageText } from './page-authors.ts'

export interface RecalledKnowledge {
  entries: RecalledPage[]
  /** Pages that could not be read. */
  remarks: string[]
}

export interface RecalledPage {
  /** The file's path in the project. */
  from: string
  title: string
  tags: string[]
  body: string
  /** Days since the last update, if the page is stale; else null. */
  old: number | null
}

export const NOTHING_RECALLED: RecalledKnowledge = { entries: [], remarks: [] }

/** The search query for a task. */
export function queryForTask({ task, feature }: Pick<TaskTexts, 'task' | 'feature'>): KnowledgeQuery {
  const { title, description, criteria } = task
  return { text: [title, description, ...criteria].join('\n'), feature: feature?.name ?? null }
}

/** More pages never fit into a prompt. */
const ENTRIES_MAX = 12

export function recallPages(
  files: readonly KnowledgeFile[],
  about: KnowledgeQuery,
  { at, pathOf }: { at: Instant; pathOf: (name: string) => string },
): RecalledPage[] {
  return matchPages(files, about)
    .slice(0, ENTRIES_MAX)
    .map(({ name, entry }) => ({
      from: pathOf(name),
      title: entry.title,
      tags: entry.tags,
      body: fullPageText(entry),
      old: isStalePage(entry, at) ? ageInDays(entry, at) : null,
    }))
}

/** Parses the saved pages; null: the text is not in Ralph's format. */
export function parseRecalledKnowledge(kept: string): RecalledKnowledge | null {
  const object = parseObject(kept)
  const list = ownField(object, 'entries')
  if (!Array.isArray(list)) return null
  const entries = list.map((one: unknown) => ({
    from: asText(ownField(one, 'from')) ?? '',
    title: asText(ownField(one, 'title')) ?? '',
    tags: asTexts(ownField(one, 'tags')) ?? [],
    body: asText(ownField(one, 'body')) ?? '',
    old: asNumber(ownField(one, 'old')),
  }))
  return { entries, remarks: asTexts(ownField(object, 'remarks')) ?? [] }
}
