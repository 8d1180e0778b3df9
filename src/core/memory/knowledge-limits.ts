/** Size limits of knowledge pages. A problem does not name its page: the caller knows which one it is. */
import { clip, firstWords } from '../text/sanitize.ts'
import { normalizeTags } from './knowledge-page.ts'

/** A longer text is a document and belongs to the project's own documentation. */
export const BODY_MAX_WORDS = 500
/** In characters, for scripts without spaces between words. */
export const BODY_MAX = 8_000
const TITLE_MAX = 200
export const TAGS_MAX = 20
const TAG_MAX = 50
/** Far more than a page; a larger file is something else. */
export const FILE_MAX_BYTES = 64 * 1024
/** Nobody keeps more files in order. */
export const FILES_MAX = 1_000

export function pageTitleProblem(title: string): string | null {
  if (title.trim() === '') return 'the title is missing'
  if (title.length > TITLE_MAX) return `the title has ${title.length} characters; the limit is ${TITLE_MAX}`
  return /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(title) ? 'the title has a line break or another control character' : null
}

export function tagsProblem(tags: readonly string[]): string | null {
  const clean = normalizeTags(tags)
  if (clean.length === 0) return 'a tag is missing'
  if (clean.length > TAGS_MAX) return `there are ${clean.length} tags; the limit is ${TAGS_MAX}`
  const bad = clean.find((tag) => tag.length > TAG_MAX || /[\p{Cc}\p{Cs}]/u.test(tag))
  return bad === undefined
    ? null
    : `the tag ${JSON.stringify(clip(bad, 60))} is empty or longer than ${TAG_MAX} characters`
}

/** Null: the body is neither empty nor too long. */
export function bodyProblem(body: string): string | null {
  if (body.trim() === '') return 'the body is empty'
  const words = body.match(/\S+/g)?.length ?? 0
  if (words > BODY_MAX_WORDS) return `it has ${words} words; the limit is ${BODY_MAX_WORDS}`
  return body.length > BODY_MAX ? `it has ${body.length} characters; the limit is ${BODY_MAX}` : null
}

/** The first words, with their line breaks, and a mark if there are more. */
export function truncateBody(body: string): string {
  const text = body.trim()
  const cut = clip(firstWords(text, BODY_MAX_WORDS), BODY_MAX)
  return cut === text ? text : `${cut} [truncated]`
}
