/** The project's knowledge for people: list, read, add, edit and check pages. */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { ageInDays, normalizeTags, isStalePage } from '../../core/memory/knowledge-page.ts'
import { findSimilarPagePairs, preparePageSave } from '../../core/memory/prepare-page-save.ts'
import { bodyProblem, FILE_MAX_BYTES, tagsProblem, pageTitleProblem } from '../../core/memory/knowledge-limits.ts'
import { resolveLink, linksIn, titleKey, type KnowledgeFile } from '../../core/memory/match-pages.ts'
import { fullPageText } from '../../core/memory/page-authors.ts'
import type { ReportedKnowledge } from '../../core/agent-output/agent-report.ts'
import { quoteShellWord } from '../../core/text/shell.ts'
import { suggest } from '../../core/text/suggest.ts'
import { clip } from '../../core/text/sanitize.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import { readRegularFile } from '../../system/files/path-entry.ts'
import { makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import {
  describeBrokenFile,
  readKnowledgeBytes,
  knowledgePath,
  readKnowledge,
  removeKnowledge,
  replaceKnowledgeIfUnchanged,
  writeKnowledge,
  type BrokenKnowledgeFile,
  type KnowledgePages,
} from '../../workspace/knowledge-files.ts'
import { readFileOrStdin } from '../read-input.ts'

export type { BrokenKnowledgeFile }
export { describeBrokenFile }

/** One page, for programs. */
export interface KnowledgeFacts {
  title: string
  tags: string[]
  feature: string | null
  file: string
  created_at: string | null
  updated_at: string | null
  /** Days since the page was changed; null: it has no date. */
  days: number | null
  /** It is so old that it may no longer be true. */
  old: boolean
  /** Titles of the pages it links to that exist. */
  links: string[]
  linked_from: string[]
  body: string
}

export interface ListedKnowledge {
  entries: KnowledgeFacts[]
  broken: BrokenKnowledgeFile[]
}

export function listKnowledge(root: string, { tag, limit }: { tag: string[]; limit: number | null }): ListedKnowledge {
  const there = readKnowledge(root)
  const wanted = normalizeTags(tagsTyped(tag))
  const entries = there.files
    .filter(({ entry }) => wanted.every((one) => entry.tags.includes(one)))
    .slice(0, limit ?? there.files.length)
  const links = linksAmong(there.files)
  return { entries: entries.map((file) => factsOf(file, links)), broken: there.broken }
}

/** `--tag a,b` is two tags, since a tag cannot contain a comma. */
function tagsTyped(tags: readonly string[]): string[] {
  return tags.flatMap((one) => one.split(','))
}

export function findKnowledgePage(root: string, typed: string): KnowledgeFacts {
  const there = readKnowledge(root)
  return factsOf(entryFor(there, typed), linksAmong(there.files))
}

export interface AddedKnowledge extends KnowledgeFacts {
  /** It replaced an existing page. */
  replaced: boolean
}

/** A text that is too long is refused, so that the person shortens it; an agent's text is cut. */
export function addKnowledge(
  root: string,
  { title, tags, body }: ReportedKnowledge,
  { feature, replace }: { feature: string | null; replace: boolean },
): AddedKnowledge {
  const said = { title, tags: tagsTyped(tags), body }
  const fault = pageTitleProblem(said.title) ?? tagsProblem(said.tags) ?? bodyProblem(said.body)
  if (fault !== null)
    throw new RalphError('usage', fault, {
      hint: 'Nothing was written. Like this: ralph knowledge add "Parser quirks" --tag parser --body "Skip empty files."',
    })
  const at = isoTime(systemClock().at())
  const placed = writeKnowledge(root, ({ files, taken }) => {
    const same = files.filter(({ entry }) => titleKey(entry.title) === titleKey(title))
    if (same[0] !== undefined && !replace)
      throw new RalphError('usage', `${knowledgePath(same[0].name)} has that title already`, {
        hint: `Nothing was written. Change it: ralph knowledge edit ${quoteShellWord(same[0].name)}, or replace it: --replace`,
      })
    return preparePageSave({ files: same, taken }, said, { at, feature, by: 'person' })
  })
  if (placed.is === 'refused') throw new RalphError('usage', placed.why)
  const { entry, name } = placed
  const others = readKnowledge(root).files.filter((file) => file.name !== name)
  const file = { name, entry }
  const replaced = placed.is === 'same' || placed.was !== null
  return { ...factsOf(file, linksAmong([...others, file])), replaced }
}

export function readKnowledgeBody(file: string): Promise<string> {
  return readFileOrStdin(file, { max: FILE_MAX_BYTES })
}

/** A file in the folder, valid or not, by its name or title: a person must be able to name a broken one to fix it. */
export interface NamedKnowledgeFile {
  name: string
  path: string
  /** Null: it cannot be parsed. */
  facts: KnowledgeFacts | null
}

export function findKnowledgeFile(root: string, typed: string): NamedKnowledgeFile {
  const there = readKnowledge(root)
  const bad = titled(there, typed).length > 0 ? null : brokenNamed(there, typed)
  if (bad !== null) return { name: bad, path: knowledgePath(bad), facts: null }
  const file = entryFor(there, typed)
  const facts = factsOf(file, linksAmong(there.files))
  return { name: file.name, path: knowledgePath(file.name), facts }
}

export function deleteKnowledge(root: string, { name }: NamedKnowledgeFile): void {
  removeKnowledge(root, name)
}

/**
 * Lets a person edit a copy, saves it, and returns what is wrong with the page, or null. If an agent changes the page meanwhile, its
 * version stays and the person's copy is kept as well.
 */
export async function editKnowledge(
  root: string,
  { path, name }: NamedKnowledgeFile,
  change: (copy: string) => Promise<void>,
): Promise<BrokenKnowledgeFile | null> {
  const was = readKnowledgeBytes(root, name)
  if (was === null) throw gone(path)
  const folder = makeTempFolder('ralph-edit-')
  const copy = join(folder, name)
  writeWithoutSync(copy, was)
  const edited = (): Buffer => readRegularFile(copy)?.bytes ?? was
  try {
    await change(copy)
  } catch (error) {
    if (error instanceof RalphError && !edited().equals(was))
      throw new RalphError(error.code, error.message, { hint: `${path} is unchanged; your version is in ${copy}` })
    removeFolder(folder)
    throw error
  }
  const now = edited()
  if (!now.equals(was) && !replaceKnowledgeIfUnchanged(root, name, { was, now, at: isoTime(systemClock().at()) }))
    throw new RalphError('changed-meanwhile', `${path} changed while you edited it`, {
      hint: `Nothing was overwritten; your version is in ${copy}. Merge them: ralph knowledge edit ${quoteShellWord(name)}`,
    })
  removeFolder(folder)
  return readKnowledge(root).broken.find((one) => one.path === path) ?? null
}

function gone(path: string): RalphError {
  return new RalphError('not-found', `${path} no longer exists`, { hint: 'List all pages: ralph knowledge list' })
}

/** A title takes precedence over a file name. */
function entryFor(there: KnowledgePages, typed: string): KnowledgeFile {
  const [only, another, ...more] = titled(there, typed)
  if (only !== undefined && another !== undefined) throw several(typed, [only, another, ...more])
  if (only !== undefined) return only
  const bad = brokenNamed(there, typed)
  const broken = bad === null ? undefined : there.broken.find(({ path }) => path === knowledgePath(bad))
  if (broken !== undefined)
    throw new RalphError('bad-file', describeBrokenFile(broken), { hint: `Fix it: ralph knowledge edit ${bad ?? ''}` })
  const key = titleKey(typed)
  const exact = there.files.find(({ name }) => isNamed(name, typed))
  if (exact !== undefined) return exact
  const begun =
    key === ''
      ? []
      : there.files.filter(({ name, entry }) => [titleKey(entry.title), name].some((one) => one.startsWith(key)))
  const [first, second] = begun
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) throw several(typed, begun)
  const titles = new Map(there.files.map(({ entry }) => [titleKey(entry.title), entry.title]))
  const near = titles.get(suggest(key, [...titles.keys()]) ?? '')
  throw new RalphError('not-found', `no page is named "${typed}"`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}List all pages: ralph knowledge list`,
  })
}

function titled({ files }: KnowledgePages, typed: string): KnowledgeFile[] {
  return files.filter(({ entry }) => titleKey(entry.title) === titleKey(typed))
}

function several(typed: string, files: KnowledgeFile[]): RalphError {
  return new RalphError('usage', `"${typed}" matches several pages`, {
    hint: 'Type more of the title, or the file name.',
    more: {
      lines: files.slice(0, 6).map(({ name, entry }) => `${entry.title}  ${knowledgePath(name)}`),
      facts: { files: files.map(({ name }) => knowledgePath(name)) },
    },
  })
}

function brokenNamed({ broken, taken }: KnowledgePages, typed: string): string | null {
  const bad = new Set(broken.map(({ path }) => path))
  return taken.find((name) => bad.has(knowledgePath(name)) && isNamed(name, typed)) ?? null
}

/** With or without its extension or folder. */
function isNamed(name: string, typed: string): boolean {
  const bare = typed.startsWith(knowledgePath('')) ? typed.slice(knowledgePath('').length) : typed
  return name === bare || name === `${bare}.md`
}

export interface KnowledgeProblem {
  file: string
  line: number | null
  problem: string
  /** It cannot be used until somebody fixes it. */
  broken: boolean
}

/** Every problem of the knowledge pages. */
export function checkKnowledge(root: string): { entries: number; problems: KnowledgeProblem[] } {
  const there = readKnowledge(root)
  const at = systemClock().at()
  const { titled: byTitle } = linksAmong(there.files)
  const akin = findSimilarPagePairs(there.files)
  const remarks = there.files.flatMap((file) => {
    const { name, entry } = file
    const first = byTitle.get(titleKey(entry.title))?.[0]
    const like = akin.get(file)
    const found = [
      ...(first !== undefined && first.name !== name ? [`${knowledgePath(first.name)} has the same title`] : []),
      ...(like === undefined
        ? []
        : [`an agent's page, similar to ${knowledgePath(like.name)}: merge them if they are about the same thing`]),
      ...linksIn(fullPageText(entry)).flatMap((link) =>
        resolveLink(link, byTitle) === undefined ? [`[[${link.said}]] links to no page`] : [],
      ),
      pageTitleProblem(entry.title),
      tagsProblem(entry.tags),
      bodyProblem(entry.body || (entry.told ?? '')),
      ...Object.entries({ created_at: entry.createdAt, updated_at: entry.updatedAt }).map(([key, said]) =>
        said === null || Number.isFinite(Date.parse(said)) ? null : `${key} is not a valid date: ${clip(said, 40)}`,
      ),
      ...(isStalePage(entry, at)
        ? [`not changed for ${ageInDays(entry, at) ?? 0} days; check that it is still true`]
        : []),
    ].filter((one) => one !== null)
    return found.map((problem) => ({ file: knowledgePath(name), line: null, problem, broken: false }))
  })
  const broken = there.broken.map(({ path, line, why }) => ({ file: path, line, problem: why, broken: true }))
  return { entries: there.files.length, problems: [...broken, ...remarks] }
}

/** Which page has a title, and which pages link to it; computed once for the whole list. */
interface Links {
  titled: Map<string, KnowledgeFile[]>
  linking: Map<string, KnowledgeFile[]>
}

function linksAmong(files: readonly KnowledgeFile[]): Links {
  const titled = byKey(files, ({ entry }) => [titleKey(entry.title)])
  const targets = ({ entry }: KnowledgeFile): string[] =>
    linksIn(fullPageText(entry))
      .flatMap((link) => resolveLink(link, titled)?.[0] ?? [])
      .map((file) => titleKey(file.entry.title))
  return { titled, linking: byKey(files, targets) }
}

function byKey(
  files: readonly KnowledgeFile[],
  keysOf: (file: KnowledgeFile) => string[],
): Map<string, KnowledgeFile[]> {
  const found = new Map<string, KnowledgeFile[]>()
  for (const file of files)
    for (const key of new Set(keysOf(file))) {
      const those = found.get(key)
      if (those === undefined) found.set(key, [file])
      else those.push(file)
    }
  return found
}

function factsOf({ name, entry }: KnowledgeFile, { titled: byTitle, linking }: Links): KnowledgeFacts {
  const at = systemClock().at()
  const { title, tags, feature, createdAt, updatedAt } = entry
  const body = fullPageText(entry)
  const titles = (files: KnowledgeFile[]): string[] =>
    files.filter((other) => other.name !== name).map((other) => other.entry.title)
  return {
    title,
    tags,
    feature,
    file: knowledgePath(name),
    created_at: createdAt,
    updated_at: updatedAt,
    days: ageInDays(entry, at),
    old: isStalePage(entry, at),
    links: [...new Set(titles(linksIn(body).flatMap((link) => resolveLink(link, byTitle) ?? [])))],
    linked_from: titles(linking.get(titleKey(title)) ?? []),
    body,
  }
}
