/** The registry of stages: each kind with its module. Only this file and `step` import a stage. */
import type { StageKind } from '../pipeline/pipeline.ts'
import type { StageModule } from '../pipeline/stage.ts'
import { DRAFT } from './draft/draft.ts'
import { PREPARE } from './prepare/prepare.ts'
import { PROVE } from './prove/prove.ts'
import { REVIEW } from './review/review.ts'
import { WORK } from './work/work.ts'

export const STAGES: Readonly<Record<StageKind, StageModule>> = {
  prepare: PREPARE,
  work: WORK,
  prove: PROVE,
  review: REVIEW,
  draft: DRAFT,
}
