/** The registry of stages: each kind with its module. Only this file and `step` import a stage. */
import type { StageKind } from '../pipeline/pipeline.ts'
import type { StageModule } from '../pipeline/stage.ts'
import { DRAFT_STAGE } from './draft/draft.ts'
import { PREPARE_STAGE } from './prepare/prepare.ts'
import { PROVE_STAGE } from './prove/prove.ts'
import { REVIEW_STAGE } from './review/review.ts'
import { WORK_STAGE } from './work/work.ts'

export const STAGES: Readonly<Record<StageKind, StageModule>> = {
  prepare: PREPARE_STAGE,
  work: WORK_STAGE,
  prove: PROVE_STAGE,
  review: REVIEW_STAGE,
  draft: DRAFT_STAGE,
}
