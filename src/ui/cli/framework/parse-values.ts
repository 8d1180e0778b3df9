/** Parses typed numbers and words, or says what is wrong with them. */
import { RalphError } from '../../../core/error.ts'
import { suggest } from '../../../core/text/suggest.ts'

export function parseInteger(text: string, what: string, min: number): number {
  if (/^-?\d{1,9}$/.test(text) && Number(text) >= min) return Number(text)
  throw new RalphError('usage', `${what} takes a whole number of at least ${min}, not "${text}"`)
}

export function parseChoice(text: string, words: readonly string[], what: string): string {
  if (words.includes(text)) return text
  const near = suggest(text, words)
  throw new RalphError(
    'usage',
    `${what} takes one of ${words.join(', ')}, not "${text}"`,
    near === null ? {} : { hint: `Did you mean ${what} ${near}?` },
  )
}
