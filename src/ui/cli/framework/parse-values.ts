/** Parses typed numbers and words, or reports what is wrong with them. */
import { RalphError } from '../../../core/error.ts'
import { suggest } from '../../../core/text/suggest.ts'

export function parseInteger(text: string, what: string, min: number): number {
  if (/^-?\d{1,9}$/.test(text) && Number(text) >= min) return Number(text)
  throw new RalphError(
    'usage',
    `${what} must be a whole number${min > -1_000_000 ? `, ${min} or more` : ''}, not "${text}"`,
  )
}

export function parseChoice(text: string, words: readonly string[], what: string): string {
  if (words.includes(text)) return text
  const near = suggest(text, words)
  throw new RalphError(
    'usage',
    `${what} must be one of ${words.join(', ')}, not "${text}"`,
    near === null ? {} : { hint: `Did you mean ${near}?` },
  )
}
