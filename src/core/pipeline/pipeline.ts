/** The stages that a job goes through, as data. What a stage does depends on its kind; its result decides which one comes next. */
import type { DocumentKind } from '../features/documents.ts'

/** How a stage ended. `FIX`: the stage before has something to fix. `UNKNOWN`: the stage has no result of its own. */
export type StageResult = 'PASS' | 'FIX' | 'FAIL' | 'UNKNOWN'

/** Where a result leads: the next stage, the same stage again, the end without success, or a stage by its name. */
export type StageJump = 'next' | 'self' | 'abort' | { to: string }

/**
 * `prepare`: base, baseline and clean-room check · `work`: iterations until the agent claims completion · `prove`: gates and proof steps ·
 * `review`: a second agent reads the work · `draft`: turns until a document is complete.
 */
export type StageKind = 'prepare' | 'work' | 'prove' | 'review' | 'draft'

export interface Stage {
  id: string
  kind: StageKind
  /** How often it may be entered in one job; null: no limit. */
  max: number | null
  on: Record<StageResult, StageJump>
}

export type Pipeline = readonly [Stage, ...Stage[]]

const PREPARE: Stage = {
  id: 'prepare',
  kind: 'prepare',
  max: null,
  on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' },
}

const PROVE: Stage = {
  id: 'prove',
  kind: 'prove',
  max: null,
  on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
}

/** `UNKNOWN`: the tree changed since the proof, so the completion is proven again. */
const REVIEW: Stage = {
  id: 'review',
  kind: 'review',
  max: null,
  on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: { to: 'prove' } },
}

/** The loop: work until the agent claims completion, and again until the completion holds. `proof.rejections` limits how often. */
export function loopPipeline({ review }: { review: boolean }): Pipeline {
  const work: Stage = {
    id: 'work',
    kind: 'work',
    max: null,
    on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' },
  }
  return [PREPARE, work, PROVE, ...(review ? [REVIEW] : [])]
}

/** A task: one iteration per visit of `work`, until the agent reports it done and the proof agrees. A retry is one more visit. `FAIL`: the
 *  agent gave up too often. */
export function taskPipeline(retries: number, { review }: { review: boolean }): Pipeline {
  const work: Stage = {
    id: 'work',
    kind: 'work',
    max: retries + 1,
    on: { PASS: 'next', FIX: 'self', FAIL: 'abort', UNKNOWN: 'self' },
  }
  return [PREPARE, work, PROVE, ...(review ? [REVIEW] : [])]
}

/** A verification: the tree is proven or not; no agent works on it. */
export const VERIFY_PIPELINE: Pipeline = [{ ...PROVE, max: 1, on: { ...PROVE.on, FIX: 'abort' } }]

/** An import: an agent writes the files of a project, or fails. */
export const IMPORT_PIPELINE: Pipeline = [
  { id: 'import', kind: 'draft', max: 1, on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' } },
]

/** A draft: a stage for each document, named after it. The stage itself limits how often the agent is asked. */
export function draftPipeline([first, ...others]: readonly [DocumentKind, ...DocumentKind[]]): Pipeline {
  const stage = (document: DocumentKind): Stage => ({
    id: document,
    kind: 'draft',
    max: null,
    on: { PASS: 'next', FIX: 'self', FAIL: 'abort', UNKNOWN: 'self' },
  })
  return [stage(first), ...others.map(stage)]
}
