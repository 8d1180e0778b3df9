/**
 * Splits a page by author: a person's text comes first and stays; an agent's text is below a mark, and the next report replaces it. The
 * mark has a checksum of the text below it: once somebody edits that text by hand, it belongs to the person.
 */

export interface PageAuthorTexts {
  /** What a person wrote; empty: the page is an agent's. */
  body: string
  /** What an agent reported; null: nothing. */
  told: string | null
}

const SAYS = 'the text above is yours; Ralph may replace the text below until you edit it'
const MARK = /^<!-- told by an agent \(([\da-f]{8})\): [^\n]*-->[^\S\n]*$/gm
const MARK_LINE = /^<!-- told by an agent \([\da-f]{8}\): [^\n]*-->[^\S\n]*$/m

/** Splits the text of a page below its front matter. */
export function splitPageByAuthor(text: string): PageAuthorTexts {
  const mark = [...text.matchAll(MARK)].at(-1)
  if (mark === undefined) return { body: text.trim(), told: null }
  const told = text.slice(mark.index + mark[0].length).trim()
  const isAsTold = told !== '' && sumOf(told) === mark[1]
  return isAsTold
    ? { body: stripAuthorMarks(text.slice(0, mark.index)), told }
    : { body: stripAuthorMarks(text), told: null }
}

export function joinAuthorTexts({ body, told }: PageAuthorTexts): string {
  const parts = [body.trim(), ...(told === null ? [] : [`<!-- told by an agent (${sumOf(told)}): ${SAYS} -->`, told])]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** The text as people and agents read it. */
export function fullPageText({ body, told }: PageAuthorTexts): string {
  if (told === null) return body
  return body === '' ? told : `${body}\n\nAn agent added:\n\n${told}`
}

/** Removes marks: a mark in an agent's text would make part of it a person's. */
export function stripAuthorMarks(text: string): string {
  return text
    .split(MARK_LINE)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
}

/** FNV-1a: it detects edits, not forgeries. */
function sumOf(text: string): string {
  let sum = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01_00_01_93)
  return (sum >>> 0).toString(16).padStart(8, '0')
}
