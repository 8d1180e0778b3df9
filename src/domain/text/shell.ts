/** Words for a command line that a person copies into a POSIX shell. */

/** Quoted where it must be, so that nothing in it is expanded or run. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The words of a line that `shellWord` wrote; nothing is expanded. */
export function wordsOf(line: string): string[] {
  const found = line.match(/(?:[^\s'\\]|\\.|'[^']*')+/gs) ?? []
  return found.map((word) =>
    word.replace(/\\(.)|'([^']*)'/gs, (_, escaped?: string, quoted?: string) => escaped ?? quoted ?? ''),
  )
}
