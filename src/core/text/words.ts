/** A list of words, written as text over as many lines as it needs. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
