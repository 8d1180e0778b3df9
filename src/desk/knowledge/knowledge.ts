/** What the project knows, as people list it, read it and write it down. */
import { RalphError } from '../../domain/error.ts'
import { ageInDays, isStale } from '../../domain/memory/entry.ts'
import { placeFor } from '../../domain/memory/knowledge.ts'
import { bodyTrouble, FILE_BYTES, tagTrouble, titleTrouble } from '../../domain/memory/limits.ts'
import { linksIn, titleKey, type KnowledgeFile } from '../../domain/memory/match.ts'
import type { KnowledgeSaid } from '../../domain/reply/told.ts'
import { suggest } from '../../domain/text/suggest.ts'
import { isoTime, realClock } from '../../system/clock.ts'
import {
  brokenWords,
  knowledgePath,
  readKnowledge,
  removeKnowledge,
  writeKnowledge,
  type BrokenFile,
  type KnowledgeThere,
} from '../../workspace/knowledge-files.ts'
import { textFrom } from '../read-text.ts'

export type { BrokenFile }
export { brokenWords }

/** One entry, for programs. */
export interface KnowledgeFacts {
  title: string
  tags: string[]
  feature: string | null
  file: string
  created_at: string | null
  updated_at: string | null
  /** Since somebody touched it; null: nobody wrote down when. */
  days: number | null
  /** So many that it may no longer hold. */
  old: boolean
  /** Titles, of those that are there. */
  links: string[]
  linked_from: string[]
  body: string
}

export interface ListedKnowledge {
  entries: KnowledgeFacts[]
  broken: BrokenFile[]
}

export function listKnowledge(
  root: string,
  { tag, limit }: { tag: string[]; limit: number | null },
): ListedKnowledge {
  const there = readKnowledge(root)
  const wanted = tag.map((one) => one.toLowerCase())
  const entries = there.files
    .filter(({ entry }) => wanted.every((one) => entry.tags.includes(one)))
    .slice(0, limit ?? there.files.length)
  return { entries: entries.map((file) => factsOf(file, there.files)), broken: there.broken }
}

export function showKnowledge(root: string, typed: string): KnowledgeFacts {
  const there = readKnowledge(root)
  return factsOf(entryFor(there, typed), there.files)
}

export interface AddedKnowledge extends KnowledgeFacts {
  /** It took the place of what was there. */
  replaced: boolean
}

/** A person hears what is too long, and says it shorter; an agent's is cut. */
export function addKnowledge(
  root: string,
  said: KnowledgeSaid,
  { feature, replace }: { feature: string | null; replace: boolean },
): AddedKnowledge {
  const trouble = titleTrouble(said.title) ?? tagTrouble(said.tags) ?? bodyTrouble(said.body)
  if (trouble !== null)
    throw new RalphError('usage', trouble, {
      hint: 'Nothing was written. Like this: ralph knowledge add "Parser quirks" --tag parser --body "Empty files are no files."',
    })
  const there = readKnowledge(root)
  // Only what has the very title: what is akin is for agents, who do not look first.
  const same = there.files.filter(({ entry }) => titleKey(entry.title) === titleKey(said.title))
  if (same[0] !== undefined && !replace)
    throw new RalphError('usage', `${knowledgePath(same[0].name)} has that title already`, {
      hint: 'Nothing was written. Change it: ralph knowledge edit, or replace it: --replace',
    })
  const placed = placeFor({ files: same, taken: there.taken }, said, {
    at: isoTime(realClock().at()),
    feature,
  })
  if (placed.is === 'refused') throw new RalphError('usage', placed.why)
  if (placed.is === 'written') writeKnowledge(root, placed.name, placed.text)
  const { entry, name } = placed
  const others = there.files.filter((file) => file.name !== name)
  const file = { name, entry }
  return { ...factsOf(file, [...others, file]), replaced: same.length > 0 }
}

export function pipedBody(file: string): Promise<string> {
  return textFrom(file, { max: FILE_BYTES })
}

/** A file in the folder, entry or not, by its name or by a title: who mends a broken one must be able to name it. */
export interface NamedFile {
  name: string
  path: string
  /** Null: it cannot be read as an entry. */
  facts: KnowledgeFacts | null
}

export function namedFile(root: string, typed: string): NamedFile {
  const there = readKnowledge(root)
  const bad = brokenNamed(there, typed)
  if (bad !== null) return { name: bad, path: knowledgePath(bad), facts: null }
  const file = entryFor(there, typed)
  return { name: file.name, path: knowledgePath(file.name), facts: factsOf(file, there.files) }
}

export function forgetKnowledge(root: string, { name }: NamedFile): void {
  removeKnowledge(root, name)
}

/** What is the matter with the file; null: nothing. */
export function troubleIn(root: string, { path }: NamedFile): BrokenFile | null {
  return readKnowledge(root).broken.find((one) => one.path === path) ?? null
}

function entryFor(there: KnowledgeThere, typed: string): KnowledgeFile {
  const bad = brokenNamed(there, typed)
  const broken = bad === null ? undefined : there.broken.find(({ path }) => path === knowledgePath(bad))
  if (broken !== undefined)
    throw new RalphError('bad-file', brokenWords(broken), {
      hint: `Mend it: ralph knowledge edit ${bad ?? ''}`,
    })
  const key = titleKey(typed)
  const exact = there.files.find(({ name, entry }) => titleKey(entry.title) === key || isNamed(name, typed))
  if (exact !== undefined) return exact
  const begun =
    key === ''
      ? []
      : there.files.filter(({ name, entry }) =>
          [titleKey(entry.title), name].some((one) => one.startsWith(key)),
        )
  const [first, second] = begun
  if (first !== undefined && second === undefined) return first
  if (first !== undefined)
    throw new RalphError('usage', `"${typed}" could be one of several entries`, {
      hint: 'Type more of its title.',
      more: {
        lines: begun.slice(0, 6).map(({ entry }) => entry.title),
        facts: { files: begun.map(({ name }) => knowledgePath(name)) },
      },
    })
  const near = suggest(
    key,
    there.files.map(({ entry }) => titleKey(entry.title)),
  )
  throw new RalphError('not-found', `nothing is known by the name "${typed}"`, {
    hint: `${near === null ? '' : `Did you mean "${near}"? `}See all of it: ralph knowledge list`,
  })
}

function brokenNamed({ broken, taken }: KnowledgeThere, typed: string): string | null {
  const bad = new Set(broken.map(({ path }) => path))
  return taken.find((name) => bad.has(knowledgePath(name)) && isNamed(name, typed)) ?? null
}

/** With or without its ending or its folder. */
function isNamed(name: string, typed: string): boolean {
  const bare = typed.startsWith(knowledgePath('')) ? typed.slice(knowledgePath('').length) : typed
  return name === bare || name === `${bare}.md`
}

export interface KnowledgeProblem {
  file: string
  line: number | null
  problem: string
  /** It cannot be used until somebody mends it. */
  broken: boolean
}

/** All that is wrong with what is known, or may be. */
export function checkKnowledge(root: string): { entries: number; problems: KnowledgeProblem[] } {
  const there = readKnowledge(root)
  const at = realClock().at()
  const titles = new Set(there.files.map(({ entry }) => titleKey(entry.title)))
  const remarks = there.files.flatMap(({ name, entry }) => {
    const first = there.files.find((other) => titleKey(other.entry.title) === titleKey(entry.title))
    const found = [
      ...(first !== undefined && first.name !== name
        ? [`${knowledgePath(first.name)} has the same title`]
        : []),
      ...linksIn(entry.body).flatMap((link) => (titles.has(link) ? [] : [`[[${link}]] leads nowhere`])),
      ...[titleTrouble(entry.title), tagTrouble(entry.tags), bodyTrouble(entry.body)].filter(
        (one) => one !== null,
      ),
      ...(isStale(entry, at)
        ? [`not touched for ${ageInDays(entry, at) ?? 0} days; look whether it still holds`]
        : []),
    ]
    return found.map((problem) => ({ file: knowledgePath(name), line: null, problem, broken: false }))
  })
  const broken = there.broken.map(({ path, line, why }) => ({ file: path, line, problem: why, broken: true }))
  return { entries: there.files.length, problems: [...broken, ...remarks] }
}

function factsOf({ name, entry }: KnowledgeFile, files: readonly KnowledgeFile[]): KnowledgeFacts {
  const at = realClock().at()
  const { title, tags, feature, createdAt, updatedAt, body } = entry
  const links = linksIn(body)
  const key = titleKey(title)
  const others = files.filter((other) => other.name !== name)
  const titled = (some: KnowledgeFile[]): string[] => some.map((other) => other.entry.title)
  return {
    title,
    tags,
    feature,
    file: knowledgePath(name),
    created_at: createdAt,
    updated_at: updatedAt,
    days: ageInDays(entry, at),
    old: isStale(entry, at),
    links: titled(others.filter((other) => links.includes(titleKey(other.entry.title)))),
    linked_from: titled(others.filter((other) => linksIn(other.entry.body).includes(key))),
    body,
  }
}
