/** Requests of people to a running engine (stop, pause, guidance, …): to the run, or to one of its workers. */
import type { RequestTarget, PersonRequest } from '../state/event.ts'
import type { SteeringMessage, Worker } from '../state/state.ts'
import type { WorkerId } from '../ids.ts'
import { assertNever } from '../assert-never.ts'
import { INTERVIEW_ANSWER_MAX } from '../features/interview.ts'
import { changeRule } from '../settings/change-rules.ts'
import {
  recordDecision,
  recordRunDecision,
  patchRun,
  patchWorker,
  workerOf,
  type StepContext,
} from '../state/context.ts'
import { endWorker } from '../pipeline/end-worker.ts'
import { recordUnmeasuredEnd } from '../calls/record-iteration-end.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { stageModuleOf } from '../pipeline/stage.ts'
import { abortRunningEffect } from '../pipeline/abort-effect.ts'
import { withoutOutageCooldowns } from '../admission/cooldown.ts'
import { stageKindOf } from '../pipeline/position.ts'
import { taskJobOf } from '../state/job.ts'
import { directiveOf } from '../admission/worker-directive.ts'
import { wakeIdleWorkers } from '../workers/on-task-events.ts'

export function applyRequest(ctx: StepContext, request: PersonRequest): void {
  const { to } = request
  if (to === undefined) return applyToRun(ctx, request)
  const id = addressed(ctx, to)
  if (id === null) return recordRunDecision(ctx, 'loop', 'ignore', nobodyAt(to))
  if (workerOf(ctx, id).phase.is === 'finished')
    return recordDecision(ctx, id, 'loop', 'ignore', `worker ${id} has already ended`)
  applyToWorker(ctx, id, request)
}

function addressed(ctx: StepContext, to: RequestTarget): WorkerId | null {
  const { workers } = ctx.state
  if ('worker' in to) return workers[to.worker] === undefined ? null : to.worker
  return Object.values(workers).find((worker) => taskJobOf(worker)?.task === to.task)?.id ?? null
}

function nobodyAt(to: RequestTarget): string {
  return 'worker' in to ? `there is no worker ${to.worker}` : `no worker is working on task ${to.task}`
}

function applyToRun(ctx: StepContext, request: PersonRequest): void {
  switch (request.do) {
    case 'stop':
      return stop(ctx, {
        why: `stopped by ${request.from}`,
        now: request.now,
        as: request.because === 'limit' ? 'api_limit_exit' : 'stopped',
      })
    case 'pause':
      return pause(ctx, `paused by ${request.from}`, { now: request.now === true })
    case 'resume':
      return resume(ctx, request.from)
    case 'steer':
      return steer(ctx, Object.keys(ctx.state.workers), request)
    case 'set':
      return set(ctx, request)
    case 'abandon':
      return abandon(ctx, request.from)
    case 'skip':
      return recordRunDecision(ctx, 'loop', 'ignore', 'name the task to skip')
    default:
      return assertNever(request)
  }
}

function applyToWorker(ctx: StepContext, id: WorkerId, request: PersonRequest): void {
  switch (request.do) {
    case 'stop':
      return stopWorker(ctx, id, { why: `worker ${id} was stopped by ${request.from}`, now: request.now })
    case 'pause':
      return pauseWorker(ctx, id, `worker ${id} was paused by ${request.from}`)
    case 'resume':
      return resumeWorker(ctx, id, request.from)
    case 'steer':
      return steer(ctx, [id], request)
    case 'skip':
      return skip(ctx, id, request.from)
    case 'set':
    case 'abandon':
      return recordDecision(ctx, id, 'loop', 'ignore', `${request.do} applies to the whole run, not one worker`)
    default:
      return assertNever(request)
  }
}

/** No new work begins, running effects are ended, and waiting workers end at once. */
function stop(ctx: StepContext, how: { why: string; now: boolean; as: 'stopped' | 'api_limit_exit' }): void {
  recordRunDecision(ctx, 'loop', 'stop', how.why)
  patchRun(ctx, { is: 'stopping', why: how.why, stopOutcome: how.as })
  for (const worker of Object.values(ctx.state.workers)) abortWorker(ctx, worker, how)
}

function stopWorker(ctx: StepContext, id: WorkerId, { why, now }: { why: string; now: boolean }): void {
  recordDecision(ctx, id, 'loop', 'stop', why)
  patchWorker(ctx, id, { told: { is: 'stop', why } })
  abortWorker(ctx, workerOf(ctx, id), { now })
}

/** Aborts the running effect, in every phase; a worker without one ends at once. */
export function abortWorker(ctx: StepContext, worker: Worker, how: { now: boolean }): void {
  const { id, phase } = worker
  if (STANDS.has(phase.is) || phase.is === 'paused') return continueWorker(ctx, id)
  // Its task is over already: only a stop does not wait for the tree.
  if (phase.is === 'reverting')
    return directiveOf(ctx, id).is === 'stop' ? abortRunningEffect(ctx, worker, how) : undefined
  if (!AT_ONCE.has(phase.is)) stageModuleOf(ctx, id)?.abort(ctx, worker, how)
}

/** These effects are answered in the transaction that requests them, so a worker is never seen in these phases; or it has ended. */
const AT_ONCE: ReadonlySet<Worker['phase']['is']> = new Set([
  'admitting',
  'claiming',
  'finishing-task',
  'finished',
] as const)

/** Nothing runs for it any more: it only has to end. */
function abandon(ctx: StepContext, from: string): void {
  for (const worker of Object.values(ctx.state.workers)) {
    if (worker.phase.is === 'finished') continue
    const why = `abandoned for a new run (${from})`
    recordUnmeasuredEnd(ctx, worker.id, 'lost', why)
    endWorker(ctx, worker.id, { is: 'abandoned', why })
  }
}

/** The task of this worker fails now; what runs for it is ended. */
function skip(ctx: StepContext, id: WorkerId, from: string): void {
  if (taskJobOf(workerOf(ctx, id)) === null)
    return recordDecision(ctx, id, 'loop', 'ignore', `worker ${id} has no task`)
  drop(ctx, id, { as: 'failed', why: `skipped by ${from}` })
}

function drop(ctx: StepContext, id: WorkerId, how: { as: 'failed' | 'released'; why: string }): void {
  const worker = workerOf(ctx, id)
  const job = taskJobOf(worker)
  if (job === null || job.drop !== null) return
  patchWorker(ctx, id, { job: { ...job, drop: how } })
  abortWorker(ctx, worker, { now: false })
}

/** Running iterations finish first, unless `now` is asked: then tasks are ready again. */
function pause(ctx: StepContext, why: string, { now }: { now: boolean }): void {
  if (ctx.state.run.is !== 'going')
    return recordRunDecision(ctx, 'loop', 'ignore', `the run is already ${ctx.state.run.is}`)
  const first = now ? 'stopping now' : 'finishing the current iteration first'
  recordRunDecision(ctx, 'loop', 'pausing', `${why}; ${first}`)
  patchRun(ctx, { is: 'pausing', why })
  for (const worker of Object.values(ctx.state.workers)) {
    const { id, phase } = worker
    if (now && taskJobOf(worker) !== null) drop(ctx, id, { as: 'released', why })
    else if (STANDS.has(phase.is)) continueWorker(ctx, id)
  }
}

/** Nothing runs for it, and a pause need not wait for it. */
const STANDS: ReadonlySet<Worker['phase']['is']> = new Set(['waiting', 'idle', 'asking'] as const)

function pauseWorker(ctx: StepContext, id: WorkerId, why: string): void {
  const { phase, told } = workerOf(ctx, id)
  if (phase.is === 'paused' || told !== null)
    return recordDecision(
      ctx,
      id,
      'loop',
      'ignore',
      `worker ${id} is already ${told?.is === 'stop' ? 'stopping' : 'paused'}`,
    )
  recordDecision(ctx, id, 'loop', 'pausing', `${why}; finishing the current iteration first`)
  patchWorker(ctx, id, { told: { is: 'pause', why } })
  if (STANDS.has(phase.is)) continueWorker(ctx, id)
}

/** Paused workers continue, whether the run was paused or one of its workers. */
function resume(ctx: StepContext, from: string): void {
  const { run, workers } = ctx.state
  const rest = run.is === 'paused' || run.is === 'pausing' || run.is === 'leaving'
  const some = Object.values(workers).some(({ phase, told }) => phase.is === 'paused' || told?.is === 'pause')
  if (!rest && (run.is !== 'going' || !some)) return recordRunDecision(ctx, 'loop', 'ignore', 'the run is not paused')
  recordRunDecision(ctx, 'loop', 'continue', `resumed by ${from}`)
  patchRun(ctx, { is: 'going', why: null, cooldowns: withoutOutageCooldowns(run.cooldowns) })
  for (const id of Object.keys(workers)) wake(ctx, id)
  wakeIdleWorkers(ctx)
}

function resumeWorker(ctx: StepContext, id: WorkerId, from: string): void {
  const { run } = ctx.state
  const { phase, told } = workerOf(ctx, id)
  if (run.is === 'stopping' || told?.is === 'stop' || (phase.is !== 'paused' && told === null))
    return recordDecision(ctx, id, 'loop', 'ignore', `worker ${id} is not paused`)
  recordDecision(ctx, id, 'loop', 'continue', `worker ${id} was resumed by ${from}`)
  // A run with an active worker is not paused; the other workers stay as they are.
  if (run.is !== 'going') patchRun(ctx, { is: 'going', why: null, cooldowns: withoutOutageCooldowns(run.cooldowns) })
  wake(ctx, id)
  if (run.is !== 'going') wakeIdleWorkers(ctx)
  // Workers that paused because the run was about to be left would never be woken otherwise.
  if (run.is !== 'leaving') return
  for (const other of Object.values(ctx.state.workers)) if (other.told === null) wake(ctx, other.id)
}

function wake(ctx: StepContext, id: WorkerId): void {
  const { phase, told } = workerOf(ctx, id)
  if (told?.is === 'pause') patchWorker(ctx, id, { told: null })
  if (phase.is === 'paused') continueWorker(ctx, id)
}

/** Guidance waits for the next prompt; the oldest is dropped when there is too much of it. */
const STEERING_MAX = 8
const STEERING_LENGTH = 500
/** An answer comes with its question. */
const ANSWER_LENGTH = 1_300

/** Guidance to the run goes to every worker. */
function steer(ctx: StepContext, to: WorkerId[], request: Extract<PersonRequest, { do: 'steer' }>): void {
  const text = request.text.slice(0, lengthFor(ctx, to, request))
  const accepted = `in the next prompt: ${text}`
  if (request.to === undefined) recordRunDecision(ctx, 'steer', 'accept', accepted)
  for (const id of to) {
    if (request.to !== undefined) recordDecision(ctx, id, 'steer', 'accept', accepted)
    const { steering, phase } = workerOf(ctx, id)
    patchWorker(ctx, id, { steering: [...steering, steeringOf(request, text)].slice(-STEERING_MAX) })
    if (phase.is === 'asking') continueWorker(ctx, id)
  }
}

function lengthFor(ctx: StepContext, to: WorkerId[], { answers }: Extract<PersonRequest, { do: 'steer' }>): number {
  if (to.some((id) => stageKindOf(workerOf(ctx, id)) === 'draft')) return INTERVIEW_ANSWER_MAX
  return answers === undefined ? STEERING_LENGTH : ANSWER_LENGTH
}

function steeringOf({ id, answers }: Extract<PersonRequest, { do: 'steer' }>, text: string): SteeringMessage {
  return { request: id, text, ...(answers === undefined ? {} : { answers }) }
}

function set(ctx: StepContext, request: Extract<PersonRequest, { do: 'set' }>): void {
  const changed = changeRule(ctx.state.run.rules, request.key, request.value)
  if ('problem' in changed) return recordRunDecision(ctx, 'steer', 'refuse', changed.problem)
  recordRunDecision(ctx, 'steer', 'set', changed.said)
  patchRun(ctx, { rules: changed.rules })
}
