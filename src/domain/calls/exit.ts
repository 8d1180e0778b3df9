/**
 * The exit rules: when a loop may end, weighed once after each iteration, first match wins. They only say that the work is
 * *claimed* to be complete; whether it is true is proven by gates afterwards.
 *
 *   permission denied → test saturation → done signals → safety stop → project complete → plan complete
 *
 * An indicator is an explicit EXIT_SIGNAL true; a done signal is a completion without any EXIT_SIGNAL key; an explicit false
 * clears both; an iteration only tested if it says so and nothing changed; all counts are of iterations in a row. A claim that the
 * plan's open boxes refute adds neither, but an agent that goes on claiming it is stopped by the safety rule.
 */
import { planComplete, type Boxes } from '../tree/change.ts'
import type { Completion } from '../state/state.ts'
import type { Allow, Denial, Signals } from '../reply/reply.ts'
import type { ExitRules } from '../state/rules.ts'
import type { Tally } from '../state/job.ts'
import { describeDenials } from './denial.ts'

export interface Weighed {
  tally: Tally
  /** The iteration claims completion, by its words or by the plan. */
  claimed: boolean
  /** Why a completion was refused here already; the agent is told. */
  refused: string | null
  exit: Completion | null
}

export interface ExitFacts {
  signals: Signals
  /** Without compound commands, which only warn. */
  denials: Denial[]
  /** How they are let pass. */
  allow?: Allow | undefined
  boxes: Boxes | null
  gates: boolean
  /** Something changed, measured: whoever writes tests works. */
  moved: boolean
}

export function weigh(before: Tally, facts: ExitFacts, rules: ExitRules): Weighed {
  const refused = refusedByPlan(facts, rules)
  const tally = count(before, facts, refused !== null)
  const exit = firstRule(tally, facts, rules)
  const claimed = claims(facts.signals) || planComplete(facts.boxes)
  return { tally, claimed, refused: exit === null ? refused : null, exit }
}

function firstRule(tally: Tally, facts: ExitFacts, rules: ExitRules): Weighed['exit'] {
  if (facts.denials.length > 0 && rules.denial === 'halt') {
    const what = describeDenials(facts.denials)
    return {
      is: 'permission_denied',
      why: `the agent was denied ${what}`,
      ...(facts.allow === undefined ? {} : { cause: { is: 'denied', what, allow: facts.allow } }),
    }
  }
  if (reached(tally.testOnly, rules.testOnly)) {
    return { is: 'test_saturation', why: `${tally.testOnly} iterations in a row only ran tests` }
  }
  if (reached(tally.done, rules.doneSignals)) {
    return {
      is: 'completion_signals',
      why: `the agent said in ${tally.done} iterations in a row that the work is complete`,
    }
  }
  const confirm = rules.confirm ?? (facts.gates ? 1 : 2)
  if (reached(tally.claims, rules.safety) && tally.indicators < confirm) {
    return {
      is: 'safety_stop',
      why: `the agent claimed completion ${tally.claims} times in a row, and it never held`,
    }
  }
  if (reached(tally.indicators, confirm)) {
    return { is: 'project_complete', why: `the agent gave the exit signal ${times(tally.indicators)}` }
  }
  if (planComplete(facts.boxes)) return { is: 'plan_complete', why: 'every box of the plan is ticked' }
  return null
}

function count(before: Tally, facts: ExitFacts, refused: boolean): Tally {
  const { signals, moved } = facts
  const testOnly = signals.testOnly && !moved ? before.testOnly + 1 : 0
  if (!claims(signals)) return { testOnly, done: 0, indicators: 0, claims: 0 }
  const tally = { ...before, testOnly, claims: before.claims + 1 }
  if (refused) return tally
  return signals.exitSignal === true
    ? { ...tally, indicators: before.indicators + 1 }
    : { ...tally, done: before.done + 1 }
}

function claims(signals: Signals): boolean {
  return signals.exitSignal ?? signals.complete
}

function refusedByPlan(facts: ExitFacts, rules: ExitRules): string | null {
  if (rules.plan === 'ignore' || facts.boxes === null || facts.boxes.open === 0 || !claims(facts.signals))
    return null
  return `completion was claimed while the plan has ${facts.boxes.open} open ${facts.boxes.open === 1 ? 'box' : 'boxes'}`
}

function reached(value: number, threshold: number): boolean {
  return threshold > 0 && value >= threshold
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times in a row`
}
