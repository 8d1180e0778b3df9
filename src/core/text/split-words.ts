/** Splits a text of any number of lines into words. */
export function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}
