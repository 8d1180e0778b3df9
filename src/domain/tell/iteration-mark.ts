/**
 * What an iteration amounts to at a glance, the same on every screen: it moved something, it moved nothing, or its completion
 * was refused. How its process ended is a word beside the mark, and only where it did not end well.
 */
import { never } from '../machine.ts'
import type { IterationView } from './view.ts'

export interface IterationMark {
  is: 'going' | 'moved' | 'nothing' | 'refused'
  glyph: '▸' | '✓' | '·' | '✗'
  /** How it ended, if not well; null: nothing to say. */
  word: string | null
}

/** What the mark is made from. */
export type Marked = Pick<IterationView, 'end' | 'change' | 'ticked' | 'refused' | 'limit' | 'paper'>

export function markOf(one: Marked): IterationMark {
  const is = kindOf(one)
  return { is, glyph: GLYPHS[is], word: wordFor(one) }
}

const GLYPHS = { going: '▸', moved: '✓', nothing: '·', refused: '✗' } as const

function kindOf({ end, change, ticked, refused, paper }: Marked): IterationMark['is'] {
  if (end === null) return 'going'
  if (refused) return 'refused'
  // As the breaker sees it: a measured change, a commit or a box that was ticked; of a draft its paper.
  const moved = change !== null && (change.files > 0 || change.commits.length > 0)
  return moved || ticked || paper !== undefined ? 'moved' : 'nothing'
}

function wordFor({ end, limit }: Marked): string | null {
  if (end !== null && end !== 'success' && limit !== null) return 'limited'
  switch (end) {
    case null:
    case 'success':
      return null
    case 'failed':
      return 'failed'
    case 'timed-out':
      return 'timed out'
    case 'silent':
      return 'fell silent'
    case 'stopped':
      return 'stopped'
    case 'over-budget':
      return 'over budget'
    case 'interrupted':
      return 'cut off'
    default:
      return never(end)
  }
}
