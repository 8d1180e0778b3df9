/**
 * Decisions: why something was done, recorded with the event that led to it. A closed list, so that nothing is ever steered by the words
 * of a sentence: whoever wants to know what was decided asks for machine and word.
 */
import type { WorkerId } from '../ids.ts'

/** How much a person cares: `loud` stands out; `told`: the line of the iteration or the result says it already. */
export type Weight = 'loud' | 'quiet' | 'told'

/** Every decision by the machine that makes it. Words are only ever added: old records are read for ever. */
export const DECISIONS = {
  loop: {
    ignore: 'quiet',
    continue: 'quiet',
    repeat: 'quiet',
    'go-on': 'told',
    trouble: 'loud',
    stop: 'loud',
    pausing: 'quiet',
    pause: 'loud',
    warn: 'loud',
    note: 'loud',
  },
  exit: { end: 'told', warn: 'loud' },
  breaker: { closed: 'quiet', 'half-open': 'loud', open: 'loud' },
  quota: { wait: 'quiet' },
  budget: { abort: 'loud' },
  limit: { rest: 'loud' },
  retry: { wait: 'quiet', repeat: 'quiet', fresh: 'quiet', outage: 'loud', leave: 'loud' },
  proof: {
    check: 'told',
    again: 'quiet',
    flaky: 'quiet',
    try: 'quiet',
    rung: 'quiet',
    room: 'quiet',
    unfit: 'loud',
    baseline: 'quiet',
    empty: 'loud',
    base: 'quiet',
    note: 'loud',
    opinion: 'quiet',
    refuse: 'loud',
    accept: 'quiet',
    ask: 'told',
    'put-back': 'loud',
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
    'put-back': 'loud',
    stays: 'loud',
  },
  draft: {
    ask: 'quiet',
    paper: 'loud',
    refuse: 'loud',
    idle: 'loud',
    anew: 'loud',
    'put-back': 'loud',
    stays: 'loud',
  },
  agent: { switch: 'loud' },
  model: { choose: 'quiet', change: 'loud', keep: 'quiet' },
  guard: { note: 'loud', warn: 'loud', restore: 'quiet', astray: 'loud' },
  steer: { accept: 'quiet', apply: 'quiet', set: 'quiet', refuse: 'loud' },
} as const satisfies Record<string, Record<string, Weight>>

export type Machine = keyof typeof DECISIONS

export type WordOf<By extends Machine> = keyof (typeof DECISIONS)[By]

export type Decision = {
  [By in Machine]: {
    by: By
    what: WordOf<By>
    /** The reason, one sentence. */
    why: string
    /** Whose pause, end or breaker it is; absent: the run's, or what the event says. */
    worker?: WorkerId
  }
}[Machine]

/** A model was chosen for the iteration that begins; `keep` only says that none was. */
export function isChoice({ by, what }: Pick<Decision, 'by' | 'what'>): boolean {
  return by === 'model' && what !== 'keep'
}

/** A word that another version wrote is no secret, and no alarm either. */
export function weightOf({ by, what }: Pick<Decision, 'by' | 'what'>): Weight {
  const words: Record<string, Weight> | undefined = DECISIONS[by]
  return words?.[what] ?? 'quiet'
}
