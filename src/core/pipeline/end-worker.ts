/** The end of a worker and, when it was the last one, of the run. */
import type { RunState, WorkerPhase, Worker } from '../state/state.ts'
import { withoutReservation } from '../admission/budget.ts'
import { chooseAgent, cooldownsByAgent } from '../admission/cooldown.ts'
import type { WorkerId } from '../ids.ts'
import type { AcceptanceRequest } from '../proof/acceptance.ts'
import type { Base } from '../proof/base.ts'
import type { Verdict } from '../proof/evidence.ts'
import { clip } from '../text/sanitize.ts'
import {
  requestEffect,
  recordDecision,
  enterPhase,
  patchRun,
  patchWorker,
  workerOf,
  type StepContext,
} from '../state/context.ts'
import { requestTaskFinish } from './request-task-finish.ts'
import {
  exitCodeOf,
  isCompleteOutcome,
  isStopOutcome,
  type EndCause,
  type Outcome,
  type OutcomeName,
} from '../state/outcome.ts'

const CUT_SHORT: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  'iteration_limit',
  'time_limit',
  'token_limit',
  'cost_limit',
])

const BRINGS_BACK: ReadonlySet<WorkerPhase['is']> = new Set<WorkerPhase['is']>([
  'reverting',
  'reverting-draft',
  'reverting-reviewer',
])

export interface Ending {
  is: OutcomeName
  why: string
  verdict?: Verdict
  /** What later completions are judged against. */
  base?: Base
  /** Tests that ran there. */
  tests?: number | null
  /** What a person is asked about. */
  acceptance?: AcceptanceRequest
  cause?: EndCause
}

export function endWorker(ctx: StepContext, id: WorkerId, ending: Ending): void {
  const verdict = ending.verdict ?? 'unproven'
  const edited = workerOf(ctx, id).seen?.edited
  const outcome: Outcome = {
    is: ending.is,
    // One sentence, whatever a set-up or a gate said in it.
    reason: ending.why.replaceAll(/\s*\n\s*/g, ' '),
    verdict,
    exit: exitCodeOf(ending.is, { verdict, required: ctx.state.run.rules.proof.required }),
    ...(ending.acceptance === undefined ? {} : { acceptance: ending.acceptance }),
    ...causeOf(ctx, id, ending),
    ...checkboxAfter(ctx, id, ending),
    ...uncommittedBy(ctx, id, ending),
    ...(edited === undefined ? {} : { edited }),
  }
  if (ending.base !== undefined) saveProvenBase(ctx, id, ending.base, ending.tests ?? null)
  // A revert may be half done, and no snapshot was taken since: it is not a person's edit.
  if (BRINGS_BACK.has(workerOf(ctx, id).phase.is)) patchWorker(ctx, id, { measured: false })
  releaseReservation(ctx, id)
  // The end of a worker says nothing about its task: another worker may claim it.
  requestTaskFinish(ctx, id, { as: 'released', why: ending.why, verification: null })
  recordDecision(ctx, id, 'exit', 'end', `${ending.is}: ${ending.why}`)
  enterPhase(ctx, id, { is: 'finished', outcome })
  // The next run does not resume the conversation of a finished or failed run; one that a limit interrupted is resumed.
  if (!CUT_SHORT.has(ending.is)) patchWorker(ctx, id, { conversation: null })
  const outcomes = Object.values(ctx.state.workers).map(outcomeOf)
  if (outcomes.includes(null)) return pauseRunIfIdle(ctx)
  requestEffect(ctx, {
    type: 'end-run',
    worker: workerOf(ctx, id).id,
    outcome: worst(outcomes.filter((one) => one !== null)),
    ...unheardAnswers(ctx.state.workers),
  })
}

/** Guidance that an interrupted iteration has not used: the next run adds it to its prompt again. */
function unheardAnswers(workers: RunState['workers']): { unheard?: string[] } {
  const left = Object.values(workers).flatMap(({ steering }) => steering.filter(({ told }) => told === true))
  const unheard = left.flatMap(({ answers }) => answers ?? [])
  return unheard.length === 0 ? {} : { unheard }
}

function causeOf(ctx: StepContext, id: WorkerId, { is, cause }: Ending): Pick<Outcome, 'cause'> {
  if (cause !== undefined) return { cause }
  if (isStopOutcome(is)) return limitHolding(ctx)
  if (workerOf(ctx, id).iteration > 0) return {}
  if (isCompleteOutcome(is)) return { cause: { is: 'nothing-to-do' } }
  return CUT_SHORT.has(is) ? { cause: { is: 'too-small' } } : {}
}

/** A person stopped a run that waited for its agents: the next run waits for the same limit. */
function limitHolding({ state: { run }, now }: StepContext): Pick<Outcome, 'cause'> {
  const { order } = run.rules.agent
  const choice = chooseAgent(order, cooldownsByAgent(run, order), now)
  return choice.agent === null ? { cause: { is: 'not-now', until: choice.until } } : {}
}

const CHECKBOX_MAX = 200

function checkboxAfter(ctx: StepContext, id: WorkerId, { is, verdict }: Ending): Pick<Outcome, 'nextCheckbox'> {
  const { nextCheckbox, job } = workerOf(ctx, id)
  // A run through tasks or a draft ignores the plan file.
  if (job.is !== 'loop') return {}
  return nextCheckbox === null || verdict === 'proven' || isCompleteOutcome(is)
    ? {}
    : { nextCheckbox: clip(nextCheckbox, CHECKBOX_MAX) }
}

/** If the agent should commit and claims completion, its uncommitted files are reported. */
function uncommittedBy(ctx: StepContext, id: WorkerId, { is }: Ending): Pick<Outcome, 'uncommitted'> {
  const { seen, iteration } = workerOf(ctx, id)
  const claimed = isCompleteOutcome(is) || is === 'needs_acceptance' || is === 'room_failed'
  const files = seen?.uncommitted ?? 0
  if (!claimed || iteration === 0 || files === 0 || ctx.state.run.rules.loop.commit !== 'agent') return {}
  const paths = seen?.uncommittedPaths
  return { uncommitted: { files, before: seen?.uncommittedAtStart ?? 0, ...(paths === undefined ? {} : { paths }) } }
}

/** The proven tree is the base of later completions, with its number of tests. */
export function saveProvenBase(ctx: StepContext, id: WorkerId, base: Base, tests: number | null): void {
  const { room } = workerOf(ctx, id)
  patchWorker(ctx, id, { base, room: room?.is === 'fit' ? { ...room, tests, base: base.tree } : room })
}

const AT_REST: ReadonlySet<WorkerPhase['is']> = new Set<WorkerPhase['is']>(['paused', 'idle', 'finished'])

/** A pause or a detach is complete when no worker is active, whether the last one paused or ended. A worker may also pause by itself. */
export function pauseRunIfIdle(ctx: StepContext): void {
  const { run, workers } = ctx.state
  const idle = Object.values(workers).every(({ phase }) => AT_REST.has(phase.is))
  if (run.is === 'pausing' && idle) patchRun(ctx, { is: 'paused' })
  // An idle worker is woken by what the others finish.
  const stands = Object.values(workers).some(({ phase }) => phase.is === 'paused')
  if (run.is === 'going' && idle && stands) patchRun(ctx, { is: 'paused', why: whyPaused(workers) })
  if (run.is === 'leaving' && idle) suspendIdleRun(ctx)
}

/** No person paused the run, but every worker that is left is paused. */
function whyPaused(workers: RunState['workers']): string | null {
  const paused = Object.values(workers).find(({ phase }) => phase.is === 'paused')?.phase
  return paused?.is === 'paused' ? paused.why : null
}

/** The run is not over, but no process drives it any more. */
function suspendIdleRun(ctx: StepContext): void {
  const { run, workers } = ctx.state
  const outcome: Outcome = {
    is: 'outage',
    reason: run.why ?? 'no agent can be reached',
    verdict: 'unproven',
    exit: exitCodeOf('outage', { verdict: 'unproven', required: run.rules.proof.required }),
  }
  const asked = Object.values(run.open).some((effect) => effect.type === 'suspend-run')
  if (!asked) requestEffect(ctx, { type: 'suspend-run', worker: Object.keys(workers)[0] ?? '', outcome })
}

/** Releases the worker's budget reservation. */
export function releaseReservation(ctx: StepContext, id: WorkerId): void {
  patchRun(ctx, { budget: withoutReservation(ctx.state.run.budget, id) })
}

function outcomeOf(worker: Worker): Outcome | null {
  return worker.phase.is === 'finished' ? worker.phase.outcome : null
}

/** A run is complete only if each of its workers is; otherwise it ends as the first one that is not. */
function worst(outcomes: Outcome[]): Outcome {
  const open = outcomes.find((one) => !isCompleteOutcome(one.is))
  const last = outcomes.at(-1)
  if (last === undefined) throw new Error('a run without workers cannot end')
  return open ?? outcomes.find((one) => one.verdict !== 'proven') ?? last
}
