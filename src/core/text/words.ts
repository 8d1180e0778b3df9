/** Splits a text of any number of lines into words. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
