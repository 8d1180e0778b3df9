/** The stages that a job goes through, as data. What a stage does is its deed; which one comes after it, the word it gives decides. */
import type { PaperKind } from '../feature/paper.ts'

/** What a stage says when it is over. `FIX`: the one before has something to mend. `UNKNOWN`: it did not say what it came to. */
export type Word = 'PASS' | 'FIX' | 'FAIL' | 'UNKNOWN'

/** Where a word leads: the next stage, the same once more, the end without success, or a stage by its name. */
export type Jump = 'next' | 'self' | 'abort' | { to: string }

/** `work`: iterations until completion is claimed; `prove`: the completion is judged; `draft`: turns until a paper is whole. */
export type Deed = 'work' | 'prove' | 'draft'

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
  {
    id: 'work',
    deed: 'work',
    max: null,
    on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' },
  },
  {
    id: 'prove',
    deed: 'prove',
    max: null,
    on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
  },
]

/** A task: one iteration a visit, until it says that it is done and that holds. A retry is a jump back, and there are only so many. */
export function taskPipeline(retries: number): Pipeline {
  return [
    {
      id: 'work',
      deed: 'work',
      max: retries + 1,
      on: { PASS: 'next', FIX: 'self', FAIL: 'self', UNKNOWN: 'self' },
    },
    {
      id: 'prove',
      deed: 'prove',
      max: null,
      on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
    },
  ]
}

/** A draft: a stage for each paper, by its name. How often it is asked for is the affair of who asks: a person may be asked many times. */
export function draftPipeline([first, ...others]: readonly [PaperKind, ...PaperKind[]]): Pipeline {
  const stage = (paper: PaperKind): Stage => ({
    id: paper,
    deed: 'draft',
    max: null,
    on: { PASS: 'next', FIX: 'self', FAIL: 'abort', UNKNOWN: 'self' },
  })
  return [stage(first), ...others.map(stage)]
}
