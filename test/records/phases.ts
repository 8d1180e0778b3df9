/** What the saved states show: every phase, in every kind of job that meets it. */
import type { RunState, WorkerPhase, Worker } from '../../src/core/state/state.ts'
import type { Job } from '../../src/core/state/job.ts'

const EVERYONE = ['loop', 'task', 'draft'] as const
const WORK = ['loop', 'task'] as const

/** The compiler asks for a line of each phase. */
export const PHASES: Record<WorkerPhase['is'], readonly Job['is'][]> = {
  claiming: ['none'],
  idle: ['none'],
  'reverting': ['task'],
  'finishing-task': ['task'],
  'taking-snapshot': EVERYONE,
  admitting: EVERYONE,
  waiting: ['none', ...EVERYONE],
  working: [...EVERYONE, 'import'],
  measuring: EVERYONE,
  committing: WORK,
  'saving-knowledge': EVERYONE,
  'resolving-base': WORK,
  'running-baseline': WORK,
  'checking-clean-room': WORK,
  proving: [...WORK, 'verify'],
  reviewing: WORK,
  checking: WORK,
  'reverting-reviewer': WORK,
  'reverting-draft': ['draft'],
  'checking-document': ['draft', 'import'],
  asking: ['draft'],
  paused: ['none', ...EVERYONE],
  finished: ['none', ...EVERYONE, 'import', 'verify'],
}

export const WANTED: readonly string[] = Object.entries(PHASES).flatMap(([phase, jobs]) =>
  jobs.map((job) => `${job} ${phase}`),
)

/** All that a state shows: the phase of each worker, the steps of the proof it is at, and how the run stands. */
export function shownBy({ run, workers }: RunState): string[] {
  return [`run ${run.is}`, ...Object.values(workers).flatMap(phasesOf)]
}

function phasesOf({ job, phase }: Worker): string[] {
  const name = `${job.is} ${phase.is}`
  if (phase.is !== 'proving') return [name]
  const { at } = phase.proof
  return [name, `step ${at.is === 'proofSteps' ? at.progress.proofStep.is : at.is}`]
}
