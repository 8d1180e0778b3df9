/**
 * What would Ralph have decided under other settings? The record is folded twice, with the recorded and with the other rules, until the
 * first decision that differs. After that the recorded events no longer fit; but rules that only observe (breaker, exit, budget) still get
 * the recorded facts one by one, and every row where they would have decided differently is reported.
 */
import type { Effect } from '../core/state/effect.ts'
import type { RunState, Worker } from '../core/state/state.ts'
import type { Instant } from '../core/ids.ts'
import { describeModel } from '../core/models/model-strategy.ts'
import { computeRemainingBudget, spentTenths } from '../core/admission/budget.ts'
import { checkQuota } from '../core/admission/quota.ts'
import { RULES_VERSION, step, type StepResult } from '../core/run/step.ts'
import type { Decision, IterationOutcome } from '../core/state/decision.ts'
import type { Row } from '../core/state/row.ts'
import type { QuotaRules, Rules } from '../core/state/rules.ts'

export interface WhatIfResult {
  /** Rows that were folded. */
  rows: number
  /** The record continues under another version of the core's rules, which this version cannot check. */
  foreign: boolean
  first: ChoiceDifference | null
  /** Rows after the first difference where an observing rule, given the recorded facts, would have decided differently. */
  later: ChoiceDifference[]
  /** The number of all later differences; `later` keeps the first ones. */
  laterCount: number
}

/** A decision, or an effect requested without a decision: both may differ under other rules. */
export interface RecordedChoice extends Pick<Decision, 'by' | 'why' | 'worker'> {
  what: string
  /** The outcome of an iteration that ended. */
  outcome?: IterationOutcome
}

export interface ChoiceDifference {
  seq: number
  at: Instant
  iteration: number
  /** The event of that row. */
  event: string
  recorded: RecordedChoice[]
  instead: RecordedChoice[]
}

const LATER_KEPT = 100

export async function whatIf(rows: AsyncIterable<Row>, changed: (rules: Rules) => Rules): Promise<WhatIfResult> {
  const result: WhatIfResult = { rows: 0, foreign: false, first: null, later: [], laterCount: 0 }
  let state: RunState | null = null
  let other: RunState | null = null
  for await (const row of rows) {
    if (row.rules !== RULES_VERSION) return { ...result, foreign: true }
    const was: StepResult = step(state, row.event, { at: row.at, up: row.up })
    const might: Chosen = stepOther(
      row,
      { state, other: result.first === null ? other : transplanted(state, other) },
      changed,
    )
    const differs = compare(row, was, might)
    if (result.first === null) result.first = differs
    else if (differs !== null && [...differs.recorded, ...differs.instead].some(isObservingRule)) {
      result.laterCount += 1
      if (result.later.length < LATER_KEPT) result.later.push(differs)
    }
    state = was.state
    other = might.state
    result.rows += 1
  }
  return result
}

/** The recorded state with the other state's observing rules: their counts so far, and their settings. */
function transplanted(state: RunState | null, other: RunState | null): RunState | null {
  if (state === null || other === null) return state
  const workers = Object.entries(state.workers).map(([id, worker]): [string, Worker] => {
    const { breaker, exitCounts, rejections, counted } = other.workers[id] ?? worker
    return [id, { ...worker, breaker, exitCounts, rejections, counted }]
  })
  return {
    run: { ...state.run, rules: other.run.rules, budget: other.run.budget },
    workers: Object.fromEntries(workers),
  }
}

interface States {
  state: RunState | null
  other: RunState | null
}

/** The same event under the other rules. Measurements against a limit are repeated with the other limit. */
function stepOther(row: Row, { state, other }: States, changed: (rules: Rules) => Rules): Chosen {
  const now = { at: row.at, up: row.up }
  const { event } = row
  if (event.type === 'run-started') return step(null, { ...event, rules: changed(event.rules) }, now)
  if (other === null) return step(other, event, now)
  if (event.type === 'spend-threshold-crossed') {
    const left = computeRemainingBudget(other.run.budget, other.run.rules.budget, event.worker)
    return step(other, { ...event, tenth: spentTenths(event.usage, left) }, now)
  }
  const stepped = step(other, event, now)
  const asked = 'effect' in event ? state?.run.open[event.effect] : undefined
  return asked?.type === 'admit-call'
    ? admission(row, stepped, { recorded: asked.quota, other: other.run.rules.quota })
    : stepped
}

/** A step for comparison: requested effects count as choices too. */
type Chosen = Omit<StepResult, 'decisions'> & { decisions: RecordedChoice[] }

/** The store admitted or deferred the call under the recorded quota; this decides again under the other one. */
function admission({ event, at }: Row, stepped: Chosen, quota: { recorded: QuotaRules; other: QuotaRules }): Chosen {
  const instead = (what: string, why: string): Chosen => ({
    ...stepped,
    effects: [],
    decisions: [{ by: 'quota', what, why }],
  })
  if (event.type === 'admitted') {
    const again = checkQuota({ calls: event.callsThisHour - 1, tokens: event.tokensThisHour }, quota.other, at)
    return again.admitted ? stepped : instead('wait', again.why)
  }
  // The record does not say how much was used; it was at least what the recorded quota allows.
  const least = { calls: quota.recorded.callsPerHour, tokens: quota.recorded.tokensPerHour }
  const held = event.type === 'call-deferred' && !checkQuota(least, quota.other, at).admitted
  return event.type !== 'call-deferred' || held
    ? stepped
    : instead('admit', 'according to the record, the changed quota would allow this call')
}

/** Rules that only observe. Their completion claims are recorded with `by: 'proof'`. */
function isObservingRule({ by, what }: RecordedChoice): boolean {
  return (
    by === 'breaker' || by === 'exit' || by === 'budget' || (by === 'proof' && (what === 'check' || what === 'refuse'))
  )
}

function compare(row: Row, was: Chosen, might: Chosen): ChoiceDifference | null {
  const recorded = without(decisionsOf(was), decisionsOf(might))
  const instead = without(decisionsOf(might), decisionsOf(was))
  if (recorded.length === 0 && instead.length === 0) return null
  const iteration = Math.max(0, ...Object.values(was.state.workers).map((worker) => worker.iteration))
  return { seq: row.seq, at: row.at, iteration, event: row.event.type, recorded, instead }
}

/** Decisions and requested effects: both are choices. For a model the name in the effect counts, not the decision. */
function decisionsOf({ decisions, effects }: Chosen): RecordedChoice[] {
  const models = effects.flatMap((effect) => modelOf(effect, decisions))
  return [...decisions.filter(({ by }) => by !== 'model'), ...models, ...effects.flatMap(askedAs)]
}

/** Two strategies that choose the same model make the same choice, whatever their reasons. */
function modelOf(effect: Effect, decisions: RecordedChoice[]): RecordedChoice[] {
  if (effect.type !== 'run-agent' || effect.role !== 'work') return []
  const { worker } = effect
  const { model } = effect.how
  const said = decisions.find((one) => one.by === 'model' && one.worker === worker)
  const why = said?.why ?? `the model is fixed: ${describeModel(model)}`
  return [{ by: 'model', what: model ?? 'default', why, worker }]
}

/** Effects carry limits, which do not count as a difference; which effect is requested, and of which agent, does. */
function askedAs(effect: Effect): RecordedChoice[] {
  if (effect.type === 'run-agent')
    return [{ by: 'loop', what: `ask ${effect.agent}`, why: `iteration ${effect.iteration} by ${effect.agent}` }]
  if (effect.type === 'run-gate')
    return [{ by: 'proof', what: `gate ${effect.gate.name}`, why: `gate ${effect.gate.name} runs` }]
  if (effect.type === 'wait') return [{ by: 'loop', what: 'wait', why: `wait: ${effect.why}` }]
  // The decision that led to it is compared already.
  if (effect.type === 'end-run') return []
  if (effect.type === 'admit-call') return [{ by: 'loop', what: 'next', why: `iteration ${effect.iteration} is next` }]
  return [{ by: 'loop', what: `ask ${effect.type}`, why: `next: ${effect.type}` }]
}

/** Decisions may be the same although numbers in their reasons differ; for an end the outcome's name counts. */
function without(these: RecordedChoice[], those: RecordedChoice[]): RecordedChoice[] {
  const keys = new Set(those.map(keyOf))
  return these.filter((decision) => !keys.has(keyOf(decision)))
}

function keyOf({ by, what, why, outcome }: RecordedChoice): string {
  if (outcome !== undefined) return `${by} ${what} ${outcome}`
  return what === 'end' ? `${by} ${what} ${why.split(':')[0] ?? ''}` : `${by} ${what}`
}
