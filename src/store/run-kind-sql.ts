/** SQL conditions on the table of runs. */
import { ONE_STAGE_KINDS } from '../core/state/run-kind.ts'

const ONE_STAGE_LIST = ONE_STAGE_KINDS.map((kind) => `'${kind}'`).join(', ')

/** The default of most queries: one-stage runs do no iterations. */
export const MULTI_STAGE_RUN_SQL = `kind not in (${ONE_STAGE_LIST})`
export const ONE_STAGE_RUN_SQL = `kind in (${ONE_STAGE_LIST})`
