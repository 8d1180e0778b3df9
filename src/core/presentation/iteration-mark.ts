/**
 * The result of an iteration as one mark, the same on every screen: it changed something, it changed nothing, or its completion was
 * rejected. A word beside the mark says how its process ended, if it failed.
 */
import { hasMadeProgress, NO_CHANGE } from '../tree/change.ts'
import type { IterationView } from './run-view.ts'

export interface IterationMark {
  is: 'going' | 'moved' | 'nothing' | 'refused'
  glyph: '▸' | '✓' | '·' | '✗'
  /** How its process ended, if not well; null: it ended well. */
  word: string | null
}

/** What the mark is made from. */
export type IterationMarkInput = Pick<
  IterationView,
  'outcome' | 'end' | 'change' | 'ticked' | 'rejection' | 'limit' | 'document'
>

export function iterationMarkOf(one: IterationMarkInput): IterationMark {
  const is = kindOf(one)
  return { is, glyph: GLYPHS[is], word: wordFor(one) }
}

const GLYPHS = { going: '▸', moved: '✓', nothing: '·', refused: '✗' } as const

/** The colour of each mark. */
export const MARK_TONES = { going: 'head', moved: 'good', nothing: 'dim', refused: 'bad' } as const

function kindOf({ outcome, change, ticked, rejection, document }: IterationMarkInput): IterationMark['is'] {
  if (outcome === null) return 'going'
  if (rejection !== null) return 'refused'
  return hasMadeProgress(change ?? NO_CHANGE, ticked) || document !== undefined ? 'moved' : 'nothing'
}

function wordFor({ outcome, end, limit }: IterationMarkInput): string | null {
  if (outcome === 'lost') return 'lost'
  if (end !== null && end !== 'success' && limit !== null) return 'limited'
  return end === null ? null : END_WORDS[end]
}

const END_WORDS: Record<NonNullable<IterationMarkInput['end']>, string | null> = {
  success: null,
  failed: 'failed',
  'timed-out': 'timed out',
  silent: 'no output',
  stopped: 'stopped',
  'over-budget': 'over budget',
  interrupted: 'interrupted',
}
