/**
 * The exit rules: when a loop may end, weighed once after each iteration, first match wins. They only say that the work is
 * *claimed* to be complete; whether it is true is proven by gates afterwards.
 *
 *   permission denied → test saturation → done signals → safety stop → project complete → plan complete
 *
 * An indicator is an explicit EXIT_SIGNAL true; a done signal is a completion without any EXIT_SIGNAL key; an explicit false
 * clears both; an iteration only tested if it says so and nothing changed; all counts are of iterations in a row. A claim that the
 * plan's open checkboxes refute adds neither, but the safety rule stops an agent that keeps claiming it.
 */
import { reached } from '../admission/breaker.ts'
import { isPlanComplete, type CheckboxCounts } from '../tree/change.ts'
import type { CompletionClaim } from '../state/state.ts'
import type { AllowAdvice, Denial, ReplySignals } from '../agent-output/reply.ts'
import type { ExitRules } from '../state/rules.ts'
import type { ExitCounts } from '../state/job.ts'
import { describeDenials } from './denial.ts'

export interface ExitEvaluation {
  exitCounts: ExitCounts
  /** The iteration claims completion, by its words or by the plan. */
  claimed: boolean
  /** Why a completion was rejected here already; the agent gets the reason. */
  refused: string | null
  exit: CompletionClaim | null
}

export interface ExitFacts {
  signals: ReplySignals
  /** Without compound commands, which only warn. */
  denials: Denial[]
  /** How they are let pass. */
  allow?: AllowAdvice | undefined
  checkboxes: CheckboxCounts | null
  gates: boolean
  /** Something changed on disk: writing tests is work. */
  moved: boolean
}

export function evaluateExit(before: ExitCounts, facts: ExitFacts, rules: ExitRules): ExitEvaluation {
  const refused = refusedByPlan(facts, rules)
  const exitCounts = count(before, facts, refused !== null)
  const exit = firstRule(exitCounts, facts, rules)
  const claimed = claims(facts.signals) || isPlanComplete(facts.checkboxes)
  return { exitCounts, claimed, refused: exit === null ? refused : null, exit }
}

function firstRule(exitCounts: ExitCounts, facts: ExitFacts, rules: ExitRules): ExitEvaluation['exit'] {
  if (facts.denials.length > 0 && rules.denial === 'halt') {
    const what = describeDenials(facts.denials)
    return {
      is: 'permission_denied',
      why: `the agent was denied ${what}`,
      ...(facts.allow === undefined ? {} : { cause: { is: 'denied', what, allow: facts.allow } }),
    }
  }
  if (reached(exitCounts.testOnly, rules.testOnly)) {
    return { is: 'test_saturation', why: `the agent only ran tests in ${exitCounts.testOnly} iterations in a row` }
  }
  if (reached(exitCounts.done, rules.doneSignals)) {
    return {
      is: 'completion_signals',
      why: `the agent says it is done (${exitCounts.done} iterations in a row)`,
    }
  }
  const confirm = rules.confirm ?? (facts.gates ? 1 : 2)
  if (reached(exitCounts.claims, rules.safety) && exitCounts.indicators < confirm) {
    return {
      is: 'safety_stop',
      why: `the agent claimed to be done ${exitCounts.claims} times in a row, wrongly each time`,
    }
  }
  if (reached(exitCounts.indicators, confirm)) {
    return { is: 'project_complete', why: `the agent says it is done${times(exitCounts.indicators)}` }
  }
  if (isPlanComplete(facts.checkboxes)) return { is: 'plan_complete', why: 'every item of the plan is done' }
  return null
}

function count(before: ExitCounts, facts: ExitFacts, refused: boolean): ExitCounts {
  const { signals, moved } = facts
  const testOnly = signals.testOnly && !moved ? before.testOnly + 1 : 0
  if (!claims(signals)) return { testOnly, done: 0, indicators: 0, claims: 0 }
  const exitCounts = { ...before, testOnly, claims: before.claims + 1 }
  if (refused) return exitCounts
  return signals.exitSignal === true
    ? { ...exitCounts, indicators: before.indicators + 1 }
    : { ...exitCounts, done: before.done + 1 }
}

function claims(signals: ReplySignals): boolean {
  return signals.exitSignal ?? signals.complete
}

function refusedByPlan(facts: ExitFacts, rules: ExitRules): string | null {
  if (rules.plan === 'ignore' || facts.checkboxes === null || facts.checkboxes.open === 0 || !claims(facts.signals))
    return null
  return `the plan still has ${facts.checkboxes.open} open ${facts.checkboxes.open === 1 ? 'item' : 'items'}`
}

function times(n: number): string {
  return n === 1 ? '' : ` (${n} times in a row)`
}
