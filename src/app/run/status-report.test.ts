/** What is reported of a project, whatever prints it. */
import { expect, test } from 'vitest'
import type { Settings } from '../../config/resolve.ts'
import { closedBreaker } from '../../core/admission/breaker.ts'
import { foldView, type RunView } from '../../core/presentation/run-view.ts'
import { afterTurn, playRun, working, withRules } from '../../../test/kit/core.ts'
import { statusJson, statusReport } from './status-report.ts'
import type { ProjectStatus } from './status.ts'

const SETTINGS = {
  values: {
    'loop.prompt': 'PROMPT.md',
    'loop.plan': null,
    'loop.optional_sections': [],
    'agent.order': ['claude'],
  },
  gates: [],
  refused: [],
  remarks: [],
  rules: () => withRules({ loop: { iterationsMax: 99 } })(AT_WORK.rules),
} as unknown as Settings

const NOTHING: ProjectStatus = {
  root: '/nowhere',
  run: null,
  view: null,
  tasks: null,
  tasksAwait: false,
  breaker: closedBreaker(0),
  used: { calls: 0, tokens: 0 },
  lockOwner: null,
  cutOff: false,
  unknown: 0,
  lost: null,
  undone: null,
  since: null,
  questions: [],
}

const OWNER = { pid: 7, command: 'ralph loop', since: 0 }

function viewOf(rows: ReturnType<typeof playRun>): RunView {
  const view = rows.reduce<RunView | null>(foldView, null)
  if (view === null) throw new Error('no rows')
  return view
}

const AT_WORK = viewOf(working().rows)
const REJECTED = viewOf(afterTurn(working(), { files: 1, checkboxes: { open: 1, done: 0 } }).rows)
const ENDED = viewOf(playRun([{ files: 1, done: true, checkboxes: { open: 0, done: 1 }, green: true }]))

test.each<[name: string, Partial<ProjectStatus>, state: string, next: string]>([
  ['served', { view: AT_WORK, lockOwner: OWNER }, 'running', 'ralph watch'],
  ['cut off', { view: AT_WORK, cutOff: true }, 'cut-off', 'ralph resume'],
  ['paused', { view: { ...AT_WORK, is: 'paused' }, cutOff: true }, 'paused', 'ralph resume'],
  ['ended', { view: ENDED }, 'ended', 'git show'],
  ['left', { view: { ...ENDED, is: 'left' } }, 'left', 'ralph loop'],
  [
    'taken back',
    { view: ENDED, undone: { at: 5, command: 'ralph undo --undo' } as unknown as ProjectStatus['undone'] },
    'undone',
    'ralph loop',
  ],
])('a run that is %s: its state, and what to do next', (_, change, state, next) => {
  const report = statusReport({ ...NOTHING, ...change }, SETTINGS)
  expect([report.last?.state.is, report.last?.next.command]).toEqual([state, next])
  expect(statusJson(report)).toMatchObject({ next: expect.arrayContaining([next]) as string[] })
})

test('the limits and the plan are those of the run while it is served, else those of the next', () => {
  const served = statusReport({ ...NOTHING, view: REJECTED, lockOwner: OWNER }, SETTINGS)
  const over = statusReport({ ...NOTHING, view: ENDED }, SETTINGS)
  expect([served.isServed, served.rules.loop.iterationsMax === 99, served.work]).toEqual([
    true,
    false,
    { is: 'plan', checkboxes: { open: 1, done: 0 }, next: null },
  ])
  expect([over.isServed, over.rules.loop.iterationsMax, over.work]).toEqual([
    false,
    99,
    { is: 'plan', checkboxes: null, next: null },
  ])
})

test('where nothing has run, what there is to do and how to start it', () => {
  const tasks = statusReport({ ...NOTHING, tasksAwait: true }, SETTINGS)
  expect([tasks.last, tasks.work, tasks.start]).toEqual([null, { is: 'rust-tasks' }, 'ralph run'])
  const loop = statusReport(NOTHING, SETTINGS)
  expect([loop.work.is, loop.start, loop.project.problems.length]).toEqual(['plan', 'ralph loop', 2])
  expect(statusJson(loop)).toMatchObject({ run: null, is: 'idle' })
})
