/** Which runs a question is about, as a condition on the table of runs. */
import { ONE_STAGE } from '../core/state/kind.ts'

const ONE_STAGE_KINDS = ONE_STAGE.map((kind) => `'${kind}'`).join(', ')

/** Where nothing else is said: runs of one stage work on nothing. */
export const WORKS = `kind not in (${ONE_STAGE_KINDS})`
export const IS_ONE_STAGE = `kind in (${ONE_STAGE_KINDS})`
