/** What a worker does, as a screen shows it: read from the last thing that was asked for it. */
import type { Instant } from '../ids.ts'
import { never } from '../machine.ts'
import { PURPOSES } from '../proof/trial.ts'
import type { Effect, OutageWait } from '../state/effect.ts'

export type Doing =
  | { is: 'starting' }
  /** Asks for a task. */
  | { is: 'choosing' }
  /** None is ready for it, and what the others do may change that. */
  | { is: 'idle' }
  | { is: 'looking' }
  | { is: 'working'; pid: number | null; log: string | null }
  | { is: 'measuring' }
  /** Looks for the base, or sorts what changed. */
  | { is: 'comparing' }
  /** In the clean room; `what`: the rung, in words. */
  | { is: 'trying'; what: string }
  | { is: 'committing' }
  /** Takes what failed out of the tree. */
  | { is: 'putting-back' }
  | { is: 'proving'; gate: string }
  | { is: 'waiting'; until: Instant; why: string; outage?: OutageWait }
  /** A person is to answer. */
  | { is: 'asking'; question: string }
  | { is: 'paused' }
  | { is: 'stopping' }
  | { is: 'ended' }

export type DoingSince = Doing & { since: Instant }

/** Null: it is answered at once, and nobody sees it. */
export function doingFor(effect: Effect): Doing | null {
  switch (effect.type) {
    case 'survey':
      return { is: effect.for === 'after' || effect.for === 'check' ? 'measuring' : 'looking' }
    case 'take-base':
    case 'sort-changes':
    case 'look-again':
      return { is: 'comparing' }
    case 'try-room':
      return { is: 'trying', what: PURPOSES[effect.purpose] }
    case 'run-agent':
      return effect.role === 'work'
        ? { is: 'working', pid: null, log: null }
        : { is: 'proving', gate: `opinion of ${effect.agent}` }
    case 'run-gate':
      return { is: 'proving', gate: effect.gate.name }
    case 'commit':
      return { is: 'committing' }
    // A file or two: over before anybody has read a word for it.
    case 'keep-knowledge':
    case 'take-paper':
      return { is: 'measuring' }
    case 'put-back':
      return { is: 'putting-back' }
    case 'wait': {
      const outage = effect.outage === undefined ? {} : { outage: effect.outage }
      return { is: 'waiting', until: effect.until, why: effect.why, ...outage }
    }
    case 'abort':
      return { is: 'stopping' }
    case 'claim-task':
      return { is: 'choosing' }
    case 'admit-iteration':
    case 'settle-task':
    case 'end-run':
    case 'leave-run':
      return null
    default:
      return never(effect)
  }
}
