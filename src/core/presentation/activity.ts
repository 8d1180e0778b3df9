/** What a worker does, as a screen shows it: derived from the last effect requested for it. */
import type { Instant } from '../ids.ts'
import { assertNever } from '../assert-never.ts'
import { PURPOSE_TITLES } from '../proof/trial.ts'
import type { Effect, OutageWait } from '../state/effect.ts'

export type Activity =
  | { is: 'starting' }
  /** Asks for a task. */
  | { is: 'claiming-task' }
  /** No task is ready for it; the other workers may change that. */
  | { is: 'idle' }
  | { is: 'inspecting' }
  | { is: 'working'; pid: number | null; log: string | null }
  | { is: 'measuring' }
  /** Resolves the base, or classifies the changes. */
  | { is: 'comparing' }
  /** In the clean room; `what`: the proof step, in words. */
  | { is: 'running-trial'; what: string }
  | { is: 'committing' }
  /** Removes the changes of failed work from the tree. */
  | { is: 'reverting' }
  | { is: 'proving'; gate: string }
  | { is: 'waiting'; until: Instant; why: string; outage?: OutageWait }
  /** Waits for a person's answer. */
  | { is: 'asking'; question: string }
  | { is: 'paused' }
  | { is: 'stopping' }
  | { is: 'ended' }

export type ActivitySince = Activity & { since: Instant }

/** Null: the effect is answered at once, too fast to show. */
export function activityFor(effect: Effect): Activity | null {
  switch (effect.type) {
    case 'snapshot':
      return { is: effect.for === 'after' || effect.for === 'check' ? 'measuring' : 'inspecting' }
    case 'resolve-base':
    case 'classify-changes':
    case 'check-final-tree':
      return { is: 'comparing' }
    case 'run-trial':
      return { is: 'running-trial', what: PURPOSE_TITLES[effect.purpose] }
    case 'run-agent':
      return effect.role === 'work'
        ? { is: 'working', pid: null, log: null }
        : { is: 'proving', gate: `review by ${effect.agent}` }
    case 'run-gate':
      return { is: 'proving', gate: effect.gate.name }
    case 'commit':
      return { is: 'committing' }
    // A file or two: too fast for an activity of its own.
    case 'save-knowledge':
    case 'check-document':
    case 'check-import':
      return { is: 'measuring' }
    case 'revert':
      return { is: 'reverting' }
    case 'wait': {
      const outage = effect.outage === undefined ? {} : { outage: effect.outage }
      return { is: 'waiting', until: effect.until, why: effect.why, ...outage }
    }
    case 'abort':
      return { is: 'stopping' }
    case 'claim-task':
      return { is: 'claiming-task' }
    case 'admit-call':
    case 'finish-task':
    case 'end-run':
    case 'suspend-run':
      return null
    default:
      return assertNever(effect)
  }
}

/** The activity in a word or two. */
export function activityName(activity: Activity): string {
  switch (activity.is) {
    case 'claiming-task':
      return 'choosing a task'
    case 'idle':
      return 'waiting for a task'
    case 'inspecting':
      return 'reading the repository'
    case 'comparing':
      return 'comparing files'
    case 'measuring':
      return 'measuring the change'
    case 'reverting':
      return 'reverting'
    case 'running-trial':
      return `clean room: ${activity.what}`
    case 'proving':
      return `proof: ${activity.gate}`
    case 'starting':
    case 'working':
    case 'committing':
    case 'waiting':
    case 'asking':
    case 'paused':
    case 'stopping':
    case 'ended':
      return activity.is
    default:
      return assertNever(activity)
  }
}
