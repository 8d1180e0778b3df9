/** The stages that a job goes through, as data. What a stage does is its deed; which one comes after it, the word it gives decides. */

/** What a stage says when it is over. `FIX`: the one before has something to mend. */
export type Word = 'PASS' | 'FIX' | 'FAIL'

/** Where a word leads: the next stage, the end without success, or a stage by its name. */
export type Jump = 'next' | 'abort' | { to: string }

/** `work`: iterations until completion is claimed; `prove`: the completion is judged. */
export type Deed = 'work' | 'prove'

export interface Stage {
  id: string
  deed: Deed
  /** How often it may be entered in one job; null: as often as it takes. */
  max: number | null
  on: Record<Word, Jump>
}

export type Pipeline = readonly [Stage, ...Stage[]]

/** The loop: work until completion is claimed, and again until the completion holds. How often is the affair of `proof.refusals`. */
export const CLASSIC: Pipeline = [
  { id: 'work', deed: 'work', max: null, on: { PASS: 'next', FIX: 'abort', FAIL: 'abort' } },
  { id: 'prove', deed: 'prove', max: null, on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort' } },
]
