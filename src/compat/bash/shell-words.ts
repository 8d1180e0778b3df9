/** Splits a command line as a shell would, without being one: quotes and backslashes, no expansion of any kind. */

/** The words of a command line; null when a quote is not closed or there is no word at all. */
export function splitCommand(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: '"' | "'" | null = null
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (quote === "'") {
      if (character === "'") quote = null
      else word += character
    } else if (character === '\\') {
      const next = line.charAt(++at)
      if (next === '') return null
      const kept: boolean = quote === '"' && !'"\\$`'.includes(next)
      word = (word ?? '') + (kept ? `\\${next}` : next)
    } else if (quote === '"') {
      if (character === '"') quote = null
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== null) return null
  if (word !== null) words.push(word)
  return words.length === 0 ? null : words
}

/** The command line that `splitCommand` takes apart into these words again. */
export function joinCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}
