/** Small things every machine of the domain uses. */
import type { WorkerId } from './ids.ts'

/** Ends every switch on a tag: a new variant becomes a compile error here, not a surprise at night. */
export function never(value: never): never {
  throw new Error(`unexpected variant ${JSON.stringify(value)}`)
}

/** Why something was decided, in words a user understands. Recorded with the event that led to it. */
export interface Decision {
  /** The machine that decided. */
  by:
    | 'loop'
    | 'exit'
    | 'breaker'
    | 'quota'
    | 'budget'
    | 'limit'
    | 'retry'
    | 'proof'
    | 'agent'
    | 'guard'
    | 'steer'
  /** A stable word for the decision, such as `end`, `wait`, `open`, `refuse`. */
  what: string
  /** The reason, one sentence. */
  why: string
  /** Whose pause or end it is; absent: the run's, or what the event says. */
  worker?: WorkerId
}
