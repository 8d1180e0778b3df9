/** Words for a command line that a person copies into a POSIX shell. */

/** Quoted where it must be, so that nothing in it is expanded or run. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
