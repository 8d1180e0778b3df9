/** Which runs a question is about, as a condition on the table of runs. */
import { ONE_STAGE_KINDS } from '../core/state/run-kind.ts'

const ONE_STAGE_LIST = ONE_STAGE_KINDS.map((kind) => `'${kind}'`).join(', ')

/** Where nothing else is said: runs of one stage work on nothing. */
export const IS_WORKING_RUN = `kind not in (${ONE_STAGE_LIST})`
export const IS_ONE_STAGE_RUN = `kind in (${ONE_STAGE_LIST})`
