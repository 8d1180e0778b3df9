/** Which knowledge pages fit a task: by their tags, and by links from and to those pages. */
import { keywordsOf } from '../prompt/excerpt.ts'
import type { KnowledgePage } from './knowledge-page.ts'
import { fullPageText } from './page-authors.ts'

/** A page and the name of its file in the folder. */
export interface KnowledgeFile {
  name: string
  entry: KnowledgePage
}

/** What to search for. */
export interface KnowledgeQuery {
  /** Title, description and other text about the work. */
  text: string
  feature: string | null
}

/** How many links to follow from a page that fits. */
const HOPS_MAX = 2

/** The pages that fit, the best first; among equals, pages that match by their own tags, then a person's pages, then by name. */
export function matchPages(files: readonly KnowledgeFile[], about: KnowledgeQuery): KnowledgeFile[] {
  const isNamed = namesIn(about.text)
  const direct = new Map<KnowledgeFile, number>()
  for (const file of files) {
    const score = tagScore(file.entry, isNamed, about.feature)
    if (score > 0) direct.set(file, score)
  }
  const linked = linkedTo([...direct.keys()], files)
  return [...personsFirst(direct), ...personsFirst(linked)].toSorted(([, a], [, b]) => b - a).map(([file]) => file)
}

function personsFirst(scored: ReadonlyMap<KnowledgeFile, number>): [KnowledgeFile, number][] {
  const isAgents = ([{ entry }]: [KnowledgeFile, number]): number => (entry.body === '' ? 1 : 0)
  return [...scored].toSorted((one, other) => isAgents(one) - isAgents(other))
}

function tagScore(
  { tags, feature: own }: KnowledgePage,
  isNamed: (tag: string) => boolean,
  feature: string | null,
): number {
  const name = feature?.toLowerCase() ?? null
  const scores = tags.map((tag) => (isNamed(tag) ? 2 : 0) + (tag === name ? 2 : 0))
  const isOfFeature = name !== null && own?.toLowerCase() === name
  return scores.reduce((sum, score) => sum + score, isOfFeature ? 2 : 0)
}

/** Scripts without spaces between words, or with endings attached to words. */
export const UNSPACED_SCRIPTS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Hangul}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Whether a text mentions a tag: all of its words, singular or plural; in scripts without spaces, as a substring. */
function namesIn(text: string): (tag: string) => boolean {
  const small = text.normalize('NFC').toLowerCase()
  const words = keywordsOf(small)
  // `keywordsOf` ignores short words such as `go` and `c++`.
  const tokens = new Set(small.split(/[\s,;:()"'`]+|[.!?](?=\s|$)/))
  return (tag) => {
    if (UNSPACED_SCRIPTS.test(tag)) return small.includes(tag)
    const parts = [...keywordsOf(tag)]
    return parts.length > 0 ? parts.every((part) => words.has(part)) : tokens.has(tag)
  }
}

/** A title as links refer to it and as titles are compared. */
export function titleKey(title: string): string {
  return title.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()
}

/** In code, `[[ -f x ]]` is not a link. */
const CODE = /^ {0,3}(`{3,}|~{3,})[^]*?(?:^ {0,3}\1|$(?![^]))|`[^`\n]+`/gm

export interface KnowledgeLink {
  /** As written. */
  said: string
  /** The keys of the titles that it may refer to. */
  titles: string[]
}

/** Each `[[…]]` once. `[[Title|words]]` and `[[Title#part]]`, as in other programs, refer to the title if no page has the full name. */
export function linksIn(body: string): KnowledgeLink[] {
  const links = new Map<string, KnowledgeLink>()
  for (const [, said = ''] of body.replace(CODE, ' ').matchAll(/\[\[([^[\]\n]+)\]\]/g)) {
    const [before = ''] = said.split('|')
    const [title = ''] = before.split('#')
    const titles = [...new Set([said, before, title].map(titleKey))].filter((one) => one !== '')
    const [key] = titles
    if (key !== undefined && !links.has(key)) links.set(key, { said: said.trim(), titles })
  }
  return [...links.values()]
}

/** Undefined: no page has that title. */
export function resolveLink<T>({ titles }: KnowledgeLink, byTitle: ReadonlyMap<string, T>): T | undefined {
  const title = titles.find((one) => byTitle.has(one))
  return title === undefined ? undefined : byTitle.get(title)
}

/** The pages reachable over links in either direction, the nearest first. Each page is visited once. */
function linkedTo(from: readonly KnowledgeFile[], files: readonly KnowledgeFile[]): Map<KnowledgeFile, number> {
  const neighbours = neighboursOf(files)
  const found = new Map<KnowledgeFile, number>()
  const seen = new Set(from)
  let edge: readonly KnowledgeFile[] = from
  for (let hop = 1; hop <= HOPS_MAX; hop += 1) {
    const next: KnowledgeFile[] = []
    for (const file of edge)
      for (const other of neighbours.get(file) ?? [])
        if (!seen.has(other)) {
          seen.add(other)
          found.set(other, Math.floor(2 / hop))
          next.push(other)
        }
    edge = next
  }
  return found
}

function neighboursOf(files: readonly KnowledgeFile[]): Map<KnowledgeFile, KnowledgeFile[]> {
  const byTitle = new Map<string, KnowledgeFile>()
  for (const file of files) {
    const key = titleKey(file.entry.title)
    if (!byTitle.has(key)) byTitle.set(key, file)
  }
  const neighbours = new Map<KnowledgeFile, KnowledgeFile[]>(files.map((file) => [file, []]))
  for (const file of files)
    for (const link of linksIn(fullPageText(file.entry))) {
      const other = resolveLink(link, byTitle)
      if (other === undefined || other === file) continue
      neighbours.get(file)?.push(other)
      neighbours.get(other)?.push(file)
    }
  return neighbours
}
