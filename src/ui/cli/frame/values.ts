/** Numbers and words of flags, or what is wrong with them. */
import { RalphError } from '../../../domain/error.ts'
import { suggest } from '../../../domain/text/suggest.ts'
import type { Input } from './row.ts'

/** Null: the flag was not given. */
export function numberFlag(input: Input, name: string, { min }: { min: number }): number | null {
  const text = input.flags[name]
  return typeof text === 'string' ? wholeNumber(text, `--${name}`, min) : null
}

export function wholeNumber(text: string, what: string, min: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text)
  throw new RalphError('usage', `${what} takes a whole number of at least ${min}, not "${text}"`)
}

export function choiceFlag<const Word extends string>(
  input: Input,
  name: string,
  words: readonly Word[],
  usual: Word,
): Word {
  const text = input.flags[name]
  if (typeof text !== 'string') return usual
  const word = words.find((one) => one === text)
  if (word !== undefined) return word
  const near = suggest(text, words)
  throw new RalphError(
    'usage',
    `--${name} takes one of ${words.join(', ')}, not "${text}"`,
    near === null ? {} : { hint: `Did you mean --${name} ${near}?` },
  )
}
