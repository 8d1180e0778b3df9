/**
 * Decisions: why something was done, recorded with the event that led to it. A closed list, so that no code ever depends on the words
 * of a sentence: it compares `by` and `what`.
 */
import type { ProofStepResult } from '../proof/proof-types.ts'
import type { WorkerId } from '../ids.ts'

/** How a screen shows it: `loud` stands out; `told`: the line of the iteration or the result says it already. */
export type DecisionLevel = 'loud' | 'quiet' | 'told'

/** Every decision by the machine that makes it. Words are only ever added: old records are read for ever. */
export const DECISIONS = {
  loop: {
    ignore: 'quiet',
    continue: 'quiet',
    repeat: 'quiet',
    failure: 'loud',
    stop: 'loud',
    pausing: 'quiet',
    pause: 'loud',
    warn: 'loud',
    note: 'loud',
  },
  iteration: { ended: 'told' },
  exit: { end: 'told', warn: 'loud' },
  breaker: { closed: 'quiet', 'half-open': 'loud', open: 'loud' },
  quota: { wait: 'quiet' },
  budget: { abort: 'loud' },
  limit: { cooldown: 'loud' },
  retry: { wait: 'quiet', repeat: 'quiet', fresh: 'quiet', outage: 'loud', suspend: 'loud' },
  proof: {
    check: 'told',
    again: 'quiet',
    flaky: 'quiet',
    try: 'quiet',
    'proof-step': 'quiet',
    room: 'quiet',
    'clean-room-unusable': 'loud',
    // The line of the gate says it already.
    baseline: 'told',
    empty: 'loud',
    base: 'quiet',
    note: 'loud',
    review: 'quiet',
    refuse: 'loud',
    // The result says it.
    accept: 'told',
    ask: 'told',
    revert: 'loud',
    stays: 'loud',
  },
  task: {
    claim: 'loud',
    retry: 'loud',
    done: 'loud',
    failed: 'loud',
    release: 'quiet',
    lost: 'loud',
    wait: 'quiet',
    told: 'loud',
    follows: 'quiet',
    breaker: 'loud',
    revert: 'loud',
    stays: 'loud',
  },
  draft: {
    'turn-ended': 'told',
    ask: 'quiet',
    document: 'loud',
    refuse: 'loud',
    idle: 'loud',
    anew: 'loud',
    revert: 'loud',
    stays: 'loud',
  },
  agent: { switch: 'loud' },
  model: { choose: 'quiet', change: 'loud', keep: 'quiet' },
  guard: { note: 'loud', warn: 'loud', restore: 'quiet', drift: 'loud' },
  steer: { accept: 'quiet', apply: 'quiet', set: 'quiet', refuse: 'loud' },
} as const satisfies Record<string, Record<string, DecisionLevel>>

export type DecisionMaker = keyof typeof DECISIONS

export type DecisionName<By extends DecisionMaker> = keyof (typeof DECISIONS)[By]

/** Words without fields of their own. */
export type PlainDecisionName<By extends DecisionMaker> = Exclude<DecisionName<By>, 'ended' | 'turn-ended'>

export type Decision =
  | {
      [By in DecisionMaker]: {
        by: By
        what: PlainDecisionName<By>
        /** The reason, one sentence. */
        why: string
        /** Absent: the decision is about the whole run. */
        worker?: WorkerId
        /** What one step of the proof showed. */
        step?: ProofStepResult
      }
    }[Exclude<DecisionMaker, 'iteration'>]
  | IterationEndDecision

/**
 * The call of an agent is over and weighed: recorded exactly once for each call that was admitted to work, before any proof of it. A call of
 * a work stage is an iteration, one of a draft is a turn. What proof or review find later is their own decision.
 */
export type IterationEndDecision = ({ by: 'iteration'; what: 'ended' } | { by: 'draft'; what: 'turn-ended' }) & {
  worker: WorkerId
  /** `worker` and `n` identify an iteration. */
  n: number
  outcome: IterationOutcome
  /** The reason for the outcome, one sentence. */
  why: string
}

export type IterationOutcome =
  /** It changed files, made a commit or ticked a checkbox. */
  | 'progress'
  | 'no-progress'
  /** The agent claims that the work is complete; the proof follows. */
  | 'claimed'
  /** The claim was rejected at once: the plan has open checkboxes. */
  | 'rejected'
  /** The agent says that it cannot do its task. */
  | 'gave-up'
  /** What the agent did ends the work. */
  | 'halted'
  | 'failed'
  /** These three are no attempt: the agent met a limit, an outage, or cannot be used at all. */
  | 'limited'
  | 'unreachable'
  | 'unusable'
  | 'over-budget'
  /** A person or the run ended it, so it was not evaluated. */
  | 'stopped'
  /** The engine or the machine died while the agent worked. */
  | 'interrupted'
  /** It could not be started or measured, or the run was abandoned. */
  | 'lost'

export function isIterationEnd(decision: Decision): decision is IterationEndDecision {
  return decision.what === 'ended' || decision.what === 'turn-ended'
}

/** A completion or a document is rejected: by the proof, by a reviewer, or at once, because the plan has open checkboxes. */
export function isRejection(decision: Decision): boolean {
  if (isIterationEnd(decision)) return decision.outcome === 'rejected'
  return (decision.by === 'proof' || decision.by === 'draft') && decision.what === 'refuse'
}

/** A model was chosen for the iteration that begins; `keep` only says that none was. */
export function isModelChoice({ by, what }: Pick<Decision, 'by' | 'what'>): boolean {
  return by === 'model' && what !== 'keep'
}

/** An unknown decision of another version is shown, but does not stand out. */
export function decisionLevelOf({ by, what }: Pick<Decision, 'by' | 'what'>): DecisionLevel {
  const words: Record<string, DecisionLevel> | undefined = DECISIONS[by]
  return words?.[what] ?? 'quiet'
}
