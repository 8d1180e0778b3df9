/** "Did you mean …?": the known word nearest to an unknown one. */

/** The word of `words` that `word` was most likely meant to be, or null when none is near. */
export function suggest(word: string, words: Iterable<string>): string | null {
  const typed = word.toLowerCase()
  let best: { word: string; distance: number } | null = null
  for (const candidate of words) {
    const distance = editDistance(typed, candidate.toLowerCase())
    if (best === null || distance < best.distance) best = { word: candidate, distance }
  }
  if (best === null || best.distance > typosAllowed(word)) return null
  // Most typos leave the first letter alone: with two mistakes and another beginning it is another word (deploy, replay).
  return best.distance === 1 || best.word[0]?.toLowerCase() === typed[0] ? best.word : null
}

/** One typo in a short word, two in a medium one, a third of a long one: more would suggest unrelated words (start, stats). */
function typosAllowed(word: string): number {
  if (word.length <= 5) return 1
  return Math.max(2, Math.floor(word.length / 3))
}

/** Levenshtein distance where two swapped neighbours count as one typo. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const ways = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        ...(swapped ? [at(beforeLast, column - 2) + 1] : []),
      ]
      current.push(Math.min(...ways))
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
