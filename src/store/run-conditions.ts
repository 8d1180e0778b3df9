/** SQL conditions on the table of runs. */
import { ONE_STAGE_KINDS } from '../core/state/run-kind.ts'

const ONE_STAGE_LIST = ONE_STAGE_KINDS.map((kind) => `'${kind}'`).join(', ')

/** The default of most queries: one-stage runs do no iterations. */
export const IS_WORKING_RUN = `kind not in (${ONE_STAGE_LIST})`
export const IS_ONE_STAGE_RUN = `kind in (${ONE_STAGE_LIST})`
