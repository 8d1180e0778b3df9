/** What an iteration came to, in one word: did it move the work, and if not, why? Screens have a glyph for each. */
import type { IterationView } from './view.ts'

export type IterationMark =
  /** Its agent is at work, or has ended and what it did is not measured yet. */
  | 'running'
  /** Files, commits or boxes are not what they were. */
  | 'moved'
  | 'nothing'
  /** It claimed to be done, and the claim did not count. */
  | 'refused'
  /** Its agent was at a usage limit: no news about the work. */
  | 'limited'
  | 'failed'

export function markOf(one: IterationView): IterationMark {
  if (one.end === null) return 'running'
  if (one.refused !== null) return 'refused'
  if (one.limited) return 'limited'
  if (one.end !== 'success' && !moved(one)) return 'failed'
  if (moved(one)) return 'moved'
  return one.change === null ? 'running' : 'nothing'
}

function moved({ change, ticked }: IterationView): boolean {
  return ticked > 0 || (change !== null && (change.files > 0 || change.commits.length > 0))
}
