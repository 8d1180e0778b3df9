/**
 * What must hold after every row, whatever the world did. The checker follows the record from outside: it folds the rows
 * itself and compares them with what the world saw, never with what the engine says about itself.
 */
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import { isEffectAnswer, type Event } from '../../src/core/state/event.ts'
import type { RunState, Worker } from '../../src/core/state/state.ts'
import type { EffectId, Instant, WorkerId } from '../../src/core/ids.ts'
import { countBudgetTokens } from '../../src/core/admission/budget.ts'
import { isCompleteOutcome, type Outcome } from '../../src/core/state/outcome.ts'
import { hourStart } from '../../src/core/admission/quota.ts'
import { retryPolicyFor, type RetryPolicy } from '../../src/core/admission/retry-policy.ts'
import { credentialOf, isCooldownOver } from '../../src/core/admission/cooldown.ts'
import { step } from '../../src/core/run/step.ts'
import type { Gate } from '../../src/core/proof/evidence.ts'
import type { Row } from '../../src/core/state/row.ts'
import { foldView, type RunView } from '../../src/core/presentation/run-view.ts'
import { fail } from './invariant-rules.ts'
import { openClaimChecker } from './claim-checker.ts'
import { openLivenessChecker } from './liveness.ts'
import { watchCommits } from './repository.ts'
import { openIterations } from './iterations.ts'
import { isSameValue } from './same-value.ts'
import { openScreenChecker } from './screen-checker.ts'
import type { World } from './world.ts'

export interface Checker {
  take(row: Row): void
  state(): RunState | null
  view(): RunView | null
  /** The last rows, for whoever has to find out what happened. */
  recent(): Row[]
  seq(): number
  /** Effects whose agent was heard to its end. */
  settled: ReadonlySet<EffectId>
  /** Gate results that were taken, not late ones. */
  gates(): number
  stopAskedAt(): Row | null
  /** Once the run has ended. */
  finish(): void
}

const RECENT = 20
/** What nobody begins once the run is to stop. */
const BEGUN: ReadonlySet<Effect['type']> = new Set<Effect['type']>([
  'run-agent',
  'run-gate',
  'resolve-base',
  'classify-changes',
  'run-trial',
  'check-final-tree',
])
/** What no draft asks for. */
const JUDGES: ReadonlySet<Effect['type']> = new Set<Effect['type']>([
  'run-gate',
  'resolve-base',
  'classify-changes',
  'run-trial',
  'check-final-tree',
  'commit',
  'claim-task',
  'finish-task',
])
/** A stop takes so long at most, in whatever phase it comes, beside the grace that the agent is given by its settings. */
const STOP_MS = 5_000
/** Sums of cents as floating point. */
const CENT_DUST = 1e-6

export function openChecker(world: World): Checker {
  let state: RunState | null = null
  let view: RunView | null = null
  let last: Row | null = null
  const recent: Row[] = []
  const asked = new Map<EffectId, Effect>()
  const open = new Set<EffectId>()
  const settled = new Set<EffectId>()
  const requests = new Set<number>()
  const calls: { effect: EffectId; at: Instant; tokens: number }[] = []
  const iterations: Record<WorkerId, number> = {}
  /** Agents that waiting does not cure. */
  const unusable = new Set<string>()
  /** What is to be done about each worker's last call; null: it was none of our troubles. */
  const remedies: Record<WorkerId, RetryPolicy | null> = {}
  let gates = 0
  let stoppedAt: Row | null = null
  let budgetSet = false
  /** What was spent, as it was compared last; it changes with a call that ends. */
  let checkedSpent: { view: RunView['spent'] | null; calls: number } = { view: null, calls: 0 }
  const claims = openClaimChecker(world, asked)
  const follows = openLivenessChecker()
  const commits = watchCommits(world.repository)
  const ends = openIterations()
  const screens = openScreenChecker()

  function take(row: Row): void {
    recent.push(row)
    if (recent.length > RECENT) recent.shift()
    inOrder(row)
    const before = state
    const stepped = step(before, row.event, { at: row.at, up: row.up })
    if (!isSameValue(stepped.effects, row.effects)) fail(3, 'a replay asks for other effects')
    if (!isSameValue(stepped.decisions, row.decisions)) fail(3, 'a replay decides otherwise')
    state = stepped.state
    const ignored = row.decisions.some((one) => one.by === 'loop' && one.what === 'ignore')
    answered(row, ignored)
    blameless(row, before, state)
    lookedEnough(row)
    claims.take(row, before, state, ignored)
    follows.take(row, before, state, ignored)
    commits.take(row, ignored)
    drafts(row, state)
    for (const effect of row.effects) ask(row, effect, before)
    if (row.event.type === 'request-received' && row.event.request.do === 'set') budgetSet = true
    if (isStop(row) && !ignored) {
      if (stoppedAt === null) met('stop', before)
      stoppedAt ??= row
    }
    if (row.event.type === 'run-resumed' && row.event.after === 'crash') met('crash', before)
    seen(row)
  }

  /** A draft writes documents: nothing is judged or committed, and it is drafted only when each of them is whole. */
  function drafts(row: Row, now: RunState): void {
    for (const { id, job, phase } of Object.values(now.workers)) {
      if (job.is !== 'draft') continue
      const judged = row.effects.find(({ worker, type }) => worker === id && JUDGES.has(type))
      if (judged !== undefined) fail(24, `a draft asks for ${judged.type}`)
      if (phase.is !== 'finished' || phase.outcome.is !== 'drafted') continue
      const missing = job.documents.filter((document) => !world.documents.has(document))
      if (missing.length > 0) fail(24, `it is called drafted without ${missing.join(', ')}`)
    }
  }

  /** Where each worker was when it happened: a proof step of the proof is a place of its own. */
  function met(what: 'stop' | 'crash', at: RunState | null): void {
    for (const { phase, job } of Object.values(at?.workers ?? {})) {
      const proofStep =
        phase.is !== 'proving'
          ? null
          : phase.proof.at.is === 'proofSteps'
            ? phase.proof.at.progress.proofStep.is
            : phase.proof.at.is
      world.note(`${what} in ${proofStep ?? phase.is}`)
      if (job.is === 'draft') world.note(`${what} in ${phase.is} of a draft`)
    }
  }

  /** What says nothing about the work opens no breaker and counts as no attempt; what waiting does not cure is over. */
  function blameless({ decisions }: Row, before: RunState | null, after: RunState): void {
    for (const [agent, why] of Object.entries(after.run.unusable)) {
      if (before?.run.unusable[agent] === undefined && why === '') fail(14, `${agent} is unusable without a reason`)
      unusable.add(agent)
    }
    for (const worker of Object.values(after.workers)) {
      const was = before?.workers[worker.id]
      if (was === undefined || remedies[worker.id] !== 'outage') continue
      if (worker.breaker.opens > was.breaker.opens) fail(14, 'an outage opened the breaker')
      if (worker.counted > was.counted && worker.iteration === was.iteration)
        fail(14, 'an outage was counted as an attempt')
    }
    if (decisions.some(({ by, what }) => by === 'retry' && what === 'suspend') && after.run.is === 'going')
      fail(14, 'the run was to be left and goes on')
  }

  function inOrder(row: Row): void {
    if (row.seq !== (last?.seq ?? 0) + 1) fail(13, `row ${row.seq} follows row ${last?.seq ?? 0}`)
    if (last !== null && row.up < last.up) fail(13, `up went back from ${last.up} to ${row.up}`)
    last = row
  }

  function answered(row: Row, ignored: boolean): void {
    const { event } = row
    if (event.type === 'request-received' && event.request.id !== null) {
      if (requests.has(event.request.id)) fail(6, `request ${event.request.id} was taken twice`)
      requests.add(event.request.id)
    }
    if (!isEffectAnswer(event)) return
    if (!open.delete(event.effect)) {
      if (!ignored) fail(6, `${event.effect} was answered by ${event.type} and had been answered before`)
      return
    }
    if (ignored && before(row)) fail(6, `the only answer of ${event.effect} was ignored`)
    if (event.type === 'gate-ended') gates += 1
    if (event.type === 'trial-ended' && event.trial.is === 'ran') gates += event.trial.results.length
    if (event.type === 'agent-ended') {
      settled.add(event.effect)
      const effect = asked.get(event.effect)
      const { failure, end } = event.reply
      const retryPolicy = failure === null || end === 'success' ? null : retryPolicyFor(failure.kind)
      if (effect?.type === 'run-agent' && effect.role === 'work') remedies[event.worker] = retryPolicy
      const call = calls.find((one) => one.effect === event.effect)
      const usage = world.told.get(event.effect)?.usage ?? null
      if (call !== undefined && usage !== null) call.tokens = countBudgetTokens(usage)
    }
  }

  /** As the record tells them: a good look whose answer a crash took away was never seen. */
  const failedSnapshots = new Map<string, number>()

  /** One failed look is nothing; only looks that fail again and again end the work, unless it is to stop anyway. */
  function lookedEnough({ event, decisions }: Row): void {
    if (event.type === 'snapshot-taken') failedSnapshots.set(event.worker, 0)
    if (event.type !== 'effect-failed' || asked.get(event.effect)?.type !== 'snapshot') return
    const failed = (failedSnapshots.get(event.worker) ?? 0) + 1
    failedSnapshots.set(event.worker, failed)
    const ended = decisions.some((one) => one.by === 'exit' && one.what === 'end')
    const alone = state?.workers[event.worker]?.told?.is === 'stop'
    if (ended && failed < 3 && stoppedAt === null && !alone) fail(7, `the work ended after ${failed} failed looks`)
  }

  /** After the end every answer is too late. */
  function before(row: Row): boolean {
    return view?.outcome === null || row.event.type === 'run-ended'
  }

  function ask(row: Row, effect: Effect, before: RunState | null): void {
    if (asked.has(effect.id)) fail(6, `${effect.id} was asked twice`)
    asked.set(effect.id, effect)
    open.add(effect.id)
    if (effect.type === 'run-agent') mayRun(row, effect, before)
    if (stoppedAt !== null && BEGUN.has(effect.type)) {
      fail(5, `${effect.type} was asked after the stop in row ${stoppedAt.seq}`)
    }
    if (effect.type === 'end-run') endAsWas(effect.outcome)
  }

  function mayRun(row: Row, effect: EffectOf<'run-agent'>, before: RunState | null): void {
    const worker = before?.workers[effect.worker]
    if (before === null || worker === undefined) return fail(2, 'an agent was asked for before the run began')
    const { rules, budget } = before.run
    if (effect.role === 'work') mayWork(effect, before, worker)
    else if (worker.review === null) fail(2, 'an opinion was asked for although nothing is claimed')
    if (before.run.is !== 'going') fail(5, `an agent was asked for while the run is ${before.run.is}`)
    if (worker.told !== null) fail(5, `an agent was asked for although its worker is to ${worker.told.is}`)
    for (const id of open) {
      const other = asked.get(id)
      if (id !== effect.id && other?.type === 'run-agent' && other.worker === effect.worker) {
        fail(1, `${effect.id} was asked while ${id} is not answered`)
      }
    }
    const since = calls.filter((one) => one.at >= hourStart(row.at))
    const { callsPerHour, tokensPerHour } = rules.quota
    if (callsPerHour > 0 && since.length >= callsPerHour)
      fail(2, `call ${since.length + 1} of ${callsPerHour} in this hour`)
    const tokens = since.reduce((sum, one) => sum + one.tokens, 0)
    if (tokensPerHour > 0 && tokens >= tokensPerHour)
      fail(2, `${tokens} of ${tokensPerHour} tokens are used in this hour`)
    const spent = spending()
    const reserved = Object.values(budget.reserved).reduce((sum, usd) => sum + usd, 0)
    if (rules.budget.usd !== null && spent.usd + budget.estimatedUsd + reserved > rules.budget.usd + CENT_DUST) {
      fail(2, `${spent.usd} + ${budget.estimatedUsd} + ${reserved} of ${rules.budget.usd} dollars`)
    }
    if (rules.budget.tokens !== null && spent.tokens >= rules.budget.tokens)
      fail(2, 'the tokens of the budget are spent')
    if (rules.budget.minutes !== null && row.up - before.run.startedAwakeMs >= rules.budget.minutes * 60_000) {
      fail(2, 'the minutes of the budget have passed')
    }
    const { reviewer } = rules.proof
    if (!rules.agent.order.includes(effect.agent) && effect.agent !== reviewer)
      fail(2, `${effect.agent} is not in the order any more`)
    if (!isCooldownOver(before.run.cooldowns[credentialOf(rules, effect.agent)], row)) fail(2, `${effect.agent} rests`)
    if (unusable.has(effect.agent)) fail(14, `${effect.agent} was asked again although waiting does not cure it`)
    calls.push({ effect: effect.id, at: row.at, tokens: 0 })
  }

  /** What stands before an iteration only. */
  function mayWork(effect: EffectOf<'run-agent'>, before: RunState, worker: Worker): void {
    const { rules } = before.run
    if (rules.proof.level === 'full' && rules.gates.length > 0) {
      if (worker.base === null) fail(9, 'an agent was asked for before anybody knows what it is judged against')
      if (worker.room === null) fail(9, 'an agent was asked for before anybody knows whether it can be judged')
    }
    // What a task works on, no checkbox says.
    if (worker.job.is !== 'loop') return
    const { checkboxes, rejections, corrections, steering } = worker
    const isTicked = checkboxes !== null && checkboxes.done > 0 && checkboxes.open === 0
    if (isTicked && rejections === 0 && corrections.length === 0 && steering.length === 0)
      fail(2, 'an agent was asked for although every box is ticked and nobody has said that it does not hold')
    if (worker.breaker.is === 'open') fail(2, 'an agent was asked for while the breaker is open')
    const max = rules.loop.iterationsMax
    if (max > 0 && worker.counted >= max) fail(10, `iteration ${worker.counted + 1} of ${max}`)
    const expected = (iterations[effect.worker] ?? 0) + 1
    if (effect.iteration !== expected)
      fail(10, `iteration ${effect.iteration} of worker ${effect.worker}, expected ${expected}`)
    iterations[effect.worker] = expected
  }

  /** What the agents themselves told, each heard once, until its end or until it was cut off. */
  function spending(): { usd: number; tokens: number } {
    let usd = 0
    let tokens = 0
    for (const id of settled) {
      const told = world.told.get(id)
      if (told === undefined || told.usage === null) continue
      usd += told.usage.usd ?? 0
      tokens += countBudgetTokens(told.usage)
    }
    return { usd, tokens }
  }

  function endAsWas(outcome: Outcome): void {
    // Of a run through tasks each was judged by itself, or by a person.
    if (state === null || !isCompleteOutcome(outcome.is) || state.run.tasks !== null) return
    const { rules } = state.run
    const needed = rules.gates
    if (needed.length === 0) {
      if (outcome.verdict !== 'unproven') fail(9, `nothing could prove it, and it is ${outcome.verdict}`)
      return
    }
    const allowed = rules.proof.level === 'quick' ? ['gates-passed'] : ['proven', 'unproven']
    if (!allowed.includes(outcome.verdict)) fail(9, `${outcome.is} with the verdict ${outcome.verdict}`)
    for (const worker of world.workers) gatesHeld(worker, needed)
  }

  /** Where the work was made, every gate was green on one tree, after the agent had ended. */
  function gatesHeld(worker: WorkerId, needed: Gate[]): void {
    const space = world.space(worker)
    const results = needed.map((gate) => space.results.get(gate.name))
    for (const [i, result] of results.entries()) {
      const gate = needed[i]?.name ?? ''
      if (result === undefined) fail(9, `gate ${gate} never ran for worker ${worker}`)
      if (!result.green) fail(9, `gate ${gate} of worker ${worker} was red`)
      if (result.tree !== results[0]?.tree) fail(9, `the gates of worker ${worker} judged different trees`)
      if (result.mono < space.workEndedAt) fail(9, `gate ${gate} judged before the agent of worker ${worker} ended`)
    }
  }

  function seen(row: Row): void {
    view = foldView(view, row)
    if (state === null) return
    screens.take(row, state, view)
    ends.take(row, state, view)
    const { is } = state.run
    if ((is === 'pausing' || is === 'leaving') && view.is !== 'going' && view.is !== 'paused')
      fail(12, `the run is pausing, the view says ${view.is}`)
    if (view.spent === checkedSpent.view && settled.size === checkedSpent.calls) return
    checkedSpent = { view: view.spent, calls: settled.size }
    const spent = [...settled].reduce((sum, id) => sum + (world.told.get(id)?.usage?.usd ?? 0), 0)
    if (Math.abs(view.spent.usd - spent) > CENT_DUST)
      fail(11, `the view says ${view.spent.usd} dollars, the agents ${spent}`)
  }

  /** What the greediest call of each worker spent before anybody heard of it. */
  function tellsTooLate(): number {
    const greediest: Record<string, number> = {}
    for (const id of settled) {
      const worker = asked.get(id)?.worker ?? ''
      greediest[worker] = Math.max(greediest[worker] ?? 0, world.told.get(id)?.beyond ?? 0)
    }
    return Object.values(greediest).reduce((sum, usd) => sum + usd, 0)
  }

  /** A person may set another budget while one works. */
  function heldInFlight({ run }: RunState): void {
    const { usd } = run.rules.budget
    if (usd === null || budgetSet) return
    const beyond = tellsTooLate()
    // Steps are told in whole cents.
    if (run.budget.usd > usd + beyond + 0.01 * world.workers.length + CENT_DUST)
      fail(14, `${run.budget.usd} dollars were spent of ${usd}, with ${beyond} told too late`)
  }

  function finish(): void {
    if (state?.run.is !== 'ended' || state.run.outcome === null)
      fail(7, 'the engine let go of a run that has not ended')
    commits.finish()
    const { stopGraceMs } = state.run.rules.agent.limits
    if (stoppedAt !== null && last !== null && last.up - stoppedAt.up > stopGraceMs + STOP_MS)
      fail(5, `the stop took ${last.up - stoppedAt.up} ms`)
    if (world.holding() > 0) fail(5, `${world.holding()} timers still hold the process after the end of the run`)
    const spent = spending()
    if (Math.abs(state.run.budget.usd - spent.usd) > CENT_DUST)
      fail(11, `the state says ${state.run.budget.usd} dollars, the agents ${spent.usd}`)
    if (state.run.budget.tokens !== spent.tokens)
      fail(11, `the state says ${state.run.budget.tokens} tokens, the agents ${spent.tokens}`)
    heldInFlight(state)
    for (const process of world.agents.values()) {
      if (process.running) fail(5, `${process.effect} still runs after the end of the run`)
    }
    if (world.gates.size > 0) fail(5, `gate ${[...world.gates.keys()].join(', ')} still runs after the end of the run`)
  }

  return {
    take,
    state: () => state,
    view: () => view,
    recent: () => recent,
    seq: () => last?.seq ?? 0,
    settled,
    gates: () => gates,
    stopAskedAt: () => stoppedAt,
    finish,
  }
}

/** One line per row, as much as a person needs to follow. */
export function describeRow(row: Row): string {
  const effects = row.effects.map((effect) => `${effect.type} ${effect.id}`).join(', ')
  const decisions = row.decisions.map((one) => `${one.by}/${one.what} (${one.why})`).join('; ')
  return `#${row.seq} at=${row.at} up=${row.up} ${describeEvent(row.event)}${effects === '' ? '' : ` → ${effects}`}${decisions === '' ? '' : ` | ${decisions}`}`
}

/** Of the run; one worker may stop while the others go on. */
function isStop({ event }: Row): boolean {
  return event.type === 'request-received' && event.request.do === 'stop' && event.request.to === undefined
}

function describeEvent(event: Event): string {
  const who = 'worker' in event ? ` w${event.worker}` : ''
  const which = 'effect' in event ? ` ${event.effect}` : ''
  const what =
    event.type === 'request-received'
      ? ` ${JSON.stringify(event.request)}`
      : event.type === 'agent-ended'
        ? ` ${event.reply.end} ${event.reply.failure?.kind ?? ''}`
        : event.type === 'trial-ended'
          ? ` ${event.trial.is === 'ran' ? event.trial.results.map(({ gate, exit }) => `${gate} ${String(exit)}`).join(' ') : event.trial.is}`
          : ''
  return `${event.type}${who}${which}${what}`
}
