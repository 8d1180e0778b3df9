/**
 * Where something new that was learnt belongs: in place of what is known about the same thing, or in a file of its own. Only entries that
 * could be read are ever replaced; a name that is taken by anything else is passed by.
 */
import type { KnowledgeSaid } from '../reply/told.ts'
import { cleanTags, writeEntry, type Knowledge } from './entry.ts'
import { bodyTrouble, cutBody, FILES_MAX, TAGS_MAX, tagTrouble, titleTrouble } from './limits.ts'
import { titleKey, UNSPACED, type KnowledgeFile } from './match.ts'
import { slugOf } from './slug.ts'

/** A folder with knowledge in it. */
export interface KnowledgeFolder {
  /** What could be read, by name. */
  files: readonly KnowledgeFile[]
  /** Names of all that lies there, whatever it is. */
  taken: readonly string[]
}

export type Placed =
  /** `was`: what it takes the place of. */
  | { is: 'written'; name: string; text: string; entry: Knowledge; was: Knowledge | null }
  /** It says already what is there. */
  | { is: 'same'; name: string; entry: Knowledge }
  | { is: 'refused'; why: string }

/** `at`: in ISO's words. `feature`: whose task it was learnt at. */
export function placeFor(
  folder: KnowledgeFolder,
  said: KnowledgeSaid,
  { at, feature }: { at: string; feature: string | null },
): Placed {
  const title = said.title.replace(/\s+/g, ' ').trim()
  const why =
    titleTrouble(title) ?? tagTrouble(said.tags) ?? (said.body.trim() === '' ? bodyTrouble('') : null)
  if (why !== null) return { is: 'refused', why }
  const fresh = { title, tags: cleanTags(said.tags), body: cutBody(said.body) }
  const known = knownAs(folder.files, fresh)
  if (known === null) {
    if (folder.taken.length >= FILES_MAX)
      return { is: 'refused', why: `there are ${folder.taken.length} files, and ${FILES_MAX} are the most` }
    const entry = { ...fresh, feature, createdAt: at, updatedAt: null, others: [] }
    return {
      is: 'written',
      name: freeName(slugOf(title), folder.taken),
      text: writeEntry(entry),
      entry,
      was: null,
    }
  }
  const { name, entry: was } = known
  const entry: Knowledge = {
    ...was,
    ...fresh,
    tags: joinedTags(was.tags, fresh.tags),
    feature: feature ?? was.feature,
  }
  const isSame = writeEntry(entry) === writeEntry({ ...was, body: was.body.trim() })
  if (isSame) return { is: 'same', name, entry: was }
  const changed = { ...entry, updatedAt: at }
  return { is: 'written', name, text: writeEntry(changed), entry: changed, was }
}

/** Said again and again with others, an entry would have all tags of the project. */
function joinedTags(were: readonly string[], fresh: readonly string[]): string[] {
  return cleanTags([...were, ...fresh]).slice(0, Math.max(were.length, TAGS_MAX))
}

/** The same title; else one title within the other, and most tags in common. */
export function knownAs(
  files: readonly KnowledgeFile[],
  { title, tags }: { title: string; tags: readonly string[] },
): KnowledgeFile | null {
  const key = titleKey(title)
  const same = files.find(({ entry }) => titleKey(entry.title) === key)
  if (same !== undefined) return same
  const akin = files.find(({ entry }) => {
    const other = titleKey(entry.title)
    return (isWithin(key, other) || isWithin(other, key)) && overlap(entry.tags, tags) > 0.5
  })
  return akin ?? null
}

/** Word for word: `go` is not within `algorithms`. */
function isWithin(title: string, other: string): boolean {
  if (UNSPACED.test(title)) return other.includes(title)
  return asWords(other).includes(asWords(title))
}

function asWords(title: string): string {
  return ` ${title.match(/[\p{L}\p{N}\p{M}]+/gu)?.join(' ') ?? title} `
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
