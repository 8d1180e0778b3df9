/** How a run begins, each worker with its first look at the tree, and how it is taken up again. */
import { EMPTY_BUDGET } from '../admission/budget.ts'
import { withoutOutages } from '../admission/cooldown.ts'
import type { Now, WorkerId } from '../ids.ts'
import { carryOver } from '../admission/breaker.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { stageOf, type StageTable } from '../pipeline/stage.ts'
import { draftJob } from '../feature/draft.ts'
import { beginJob } from '../workers/begin-job.ts'
import type { Job } from '../state/job.ts'
import type { EventOf } from '../state/event.ts'
import { claim } from '../workers/claim.ts'
import { wakeIdle } from '../workers/take.ts'
import type { House, TasksOfRun, Worker } from '../state/state.ts'
import { beginStep, decideForRun, patchRun, patchWorker, type Course } from '../state/context.ts'

export function startRun(event: EventOf<'run-started'>, now: Now, stages: StageTable): Course {
  const rules = event.rules
  const ids: WorkerId[] = Array.from({ length: event.workers }, (_, i) => String(i + 1))
  const workers = Object.fromEntries(ids.map((id) => [id, newWorker(id, event, now)]))
  const house: House = {
    run: {
      id: event.run,
      is: 'going',
      rules,
      startedAt: now.at,
      startedUp: now.up,
      next: 1,
      open: {},
      budget: EMPTY_BUDGET,
      rests: Object.fromEntries(
        Object.entries(event.limited).map(([agent, until]) => [
          agent,
          { is: 'usage-limit', until, tries: 1 },
        ]),
      ),
      unusable: {},
      outcome: null,
      why: null,
      tasks: tasksOf(event),
      stopAs: 'stopped',
    },
    workers,
  }
  const course = beginStep(house, now, stages)
  for (const id of ids) {
    const stage = stageOf(course, id)
    if (stage === null) claim(course, id)
    else stage.begin(course, id, {})
  }
  return course
}

function tasksOf({ tasks }: EventOf<'run-started'>): TasksOfRun | null {
  if (tasks === undefined) return null
  return { scope: tasks, done: 0, failed: 0, unproven: 0, failedInARow: 0 }
}

function newWorker(id: WorkerId, event: EventOf<'run-started'>, now: Now): Worker {
  const breaker = carryOver(event.breaker, event.rules.breaker, now.at)
  return {
    id,
    phase: { is: 'paused', why: 'not started' },
    ...beginJob(jobOf(event), event.rules, { breaker, conversation: event.conversation }),
    iteration: 0,
    told: null,
    steering: [],
    counted: 0,
    failures: 0,
    smooth: 0,
    nextModel: null,
    tier: null,
    seen: null,
    footing: null,
    busy: 0,
    failedLooks: 0,
    measured: true,
    orphaned: false,
  }
}

function jobOf({ tasks, draft, verify }: EventOf<'run-started'>): Job {
  if (verify !== undefined) return { is: 'verify', ...verify }
  if (draft !== undefined) return draftJob(draft)
  return { is: tasks === undefined ? 'loop' : 'none' }
}

/** A run taken up again: open effects are answered by recovery, so only workers that wait for a person need a push. */
export function continueRun(course: Course, event: EventOf<'run-continued'>): void {
  decideForRun(course, 'loop', 'continue', CONTINUED[event.after])
  for (const id of Object.keys(course.house.workers)) stageOf(course, id)?.resumed?.(course, id, event)
  const { is, rests } = course.house.run
  if (is === 'stopping') return
  // Whoever comes back to a run that waited for a person has patience again; after a crash the time waited so far counts.
  const kept = is === 'going' ? rests : withoutOutages(rests)
  patchRun(course, { is: 'going', why: null, outcome: null, rests: kept })
  for (const { id, phase, told } of Object.values(course.house.workers)) {
    // Who comes back to a run that rested wants all of it to go on; after a crash each stands where it stood.
    if (is !== 'going' && told?.is === 'pause') patchWorker(course, id, { told: null })
    const stands = phase.is === 'paused' && (is !== 'going' || told === null)
    // A question is asked again when it is known that what it is about is still there.
    if (stands || phase.is === 'asking') proceed(course, id)
  }
  if (is !== 'going') wakeIdle(course)
}

const CONTINUED: Record<EventOf<'run-continued'>['after'], string> = {
  crash: 'the run was cut off and goes on',
  pause: 'the paused run goes on',
  outage: 'the run was left in an outage and goes on',
}
