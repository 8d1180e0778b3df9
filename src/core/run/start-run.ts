/** How a run begins, each worker with its first snapshot, and how it is resumed. */
import { UNSPENT_BUDGET } from '../admission/budget.ts'
import { withoutOutageCooldowns } from '../admission/cooldown.ts'
import type { Now, WorkerId } from '../ids.ts'
import { inheritBreaker } from '../admission/breaker.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { stageModuleOf, type StageTable } from '../pipeline/stage.ts'
import { createDraftJob } from '../features/draft.ts'
import { initialJobState } from '../workers/initial-job-state.ts'
import type { Job } from '../state/job.ts'
import type { EventOf } from '../state/event.ts'
import { claimTask } from '../workers/claim-task.ts'
import { wakeIdleWorkers } from '../workers/on-task-events.ts'
import type { RunState, RunTaskCounts, Worker } from '../state/state.ts'
import { createStepContext, recordRunDecision, patchRun, patchWorker, type StepContext } from '../state/context.ts'

export function startRun(event: EventOf<'run-started'>, now: Now, stages: StageTable): StepContext {
  const rules = event.rules
  const ids: WorkerId[] = Array.from({ length: event.workers }, (_, i) => String(i + 1))
  const workers = Object.fromEntries(ids.map((id) => [id, newWorker(id, event, now)]))
  const state: RunState = {
    run: {
      id: event.run,
      is: 'going',
      rules,
      startedAt: now.at,
      startedAwakeMs: now.up,
      next: 1,
      open: {},
      budget: UNSPENT_BUDGET,
      cooldowns: Object.fromEntries(
        Object.entries(event.limited).map(([agent, until]) => [agent, { is: 'usage-limit', until, tries: 1 }]),
      ),
      unusable: {},
      outcome: null,
      why: null,
      tasks: tasksOf(event),
      stopOutcome: 'stopped',
    },
    workers,
  }
  const ctx = createStepContext(state, now, stages)
  for (const id of ids) {
    const stage = stageModuleOf(ctx, id)
    if (stage === null) claimTask(ctx, id)
    else stage.begin(ctx, id, {})
  }
  return ctx
}

function tasksOf({ tasks }: EventOf<'run-started'>): RunTaskCounts | null {
  if (tasks === undefined) return null
  return { scope: tasks, done: 0, failed: 0, unproven: 0, consecutiveFailures: 0 }
}

function newWorker(id: WorkerId, event: EventOf<'run-started'>, now: Now): Worker {
  const breaker = inheritBreaker(event.breaker, event.rules.breaker, now.at)
  return {
    id,
    phase: { is: 'paused', why: 'not started' },
    ...initialJobState(jobOf(event), event.rules, { breaker, conversation: event.conversation }),
    iteration: 0,
    told: null,
    steering: [],
    counted: 0,
    failures: 0,
    smoothJobs: 0,
    nextModel: null,
    tier: null,
    seen: null,
    branchState: null,
    busy: 0,
    failedSnapshots: 0,
    measured: true,
    hasOrphans: false,
  }
}

function jobOf({ tasks, draft, verify, import: imports }: EventOf<'run-started'>): Job {
  if (imports !== undefined) return { is: 'import', ...imports, pauses: 0 }
  if (verify !== undefined) return { is: 'verify', ...verify }
  if (draft !== undefined) return createDraftJob(draft)
  return { is: tasks === undefined ? 'loop' : 'none' }
}

/** A run resumed: open effects are answered by recovery, so only workers that wait for a person need a push. */
export function resumeRun(ctx: StepContext, event: EventOf<'run-resumed'>): void {
  recordRunDecision(ctx, 'loop', 'continue', CONTINUED[event.after])
  for (const id of Object.keys(ctx.state.workers)) stageModuleOf(ctx, id)?.resumed?.(ctx, id, event)
  const { is, cooldowns } = ctx.state.run
  if (is === 'stopping') return
  // A person who resumes a waiting run gets the whole waiting time again; after a crash the time waited so far counts.
  const kept = is === 'going' ? cooldowns : withoutOutageCooldowns(cooldowns)
  patchRun(ctx, { is: 'going', why: null, outcome: null, cooldowns: kept })
  for (const { id, phase, told } of Object.values(ctx.state.workers)) {
    // Resuming a paused run resumes every worker; after a crash each worker stays as it was.
    if (is !== 'going' && told?.is === 'pause') patchWorker(ctx, id, { told: null })
    const stands = phase.is === 'paused' && (is !== 'going' || told === null)
    // A question is asked again when it is known that what it is about is still there.
    if (stands || phase.is === 'asking') continueWorker(ctx, id)
  }
  if (is !== 'going') wakeIdleWorkers(ctx)
}

const CONTINUED: Record<EventOf<'run-resumed'>['after'], string> = {
  crash: 'the run was interrupted and resumes',
  pause: 'the paused run resumes',
  outage: 'the run was interrupted by an outage and resumes',
}
