import { describe, expect, test } from 'vitest'
import { taskProblem } from '../../core/tasks/validate-task.ts'
import { convertRustDatabase, type RustRow, type ConvertedRustData } from './rust-progress-db.ts'

const AT = 1_000

function taken(tables: Record<string, RustRow[]>): ConvertedRustData {
  return convertRustDatabase({ version: 5, tables }, AT)
}

const TIME = '2026-02-22 08:00:00'

function task(id: string, more: RustRow = {}): RustRow {
  return {
    id,
    title: `Do ${id}`,
    status: 'pending',
    priority: 0,
    created_at: TIME,
    updated_at: TIME,
    ...more,
  }
}

const before = (blocker: string, blocked: string): RustRow => ({ blocker_id: blocker, blocked_id: blocked })

/** What is told, by kind. */
function told({ report }: ConvertedRustData): Record<string, string[]> {
  return Object.fromEntries([...report.mapped, ...report.left].map(({ is, some }) => [is, some]))
}

const blockers = ({ tasks }: ConvertedRustData): Record<string, string[]> =>
  Object.fromEntries(tasks.map(({ id, blockers: all }) => [id, all]))

describe('rings, which the Rust tool did not see where they lead through parents', () => {
  test('a parent that waits for its own child', () => {
    const done = taken({
      tasks: [task('t-a'), task('t-b', { parent_id: 't-a' })],
      dependencies: [before('t-b', 't-a')],
    })
    expect([blockers(done), done.report.edges]).toEqual([{ 't-a': [], 't-b': [] }, 0])
    expect(told(done)).toEqual({
      'edge-ring': ['t-b before t-a: t-b is a subtask of t-a, which waits for it anyway'],
    })
    expect(done.logs).toEqual([
      {
        task: 't-a',
        at: AT,
        author: 'ralph',
        kind: 'moved',
        text: 'In Rust Ralph it waited for t-b; not imported: t-b is a subtask of t-a, which waits for it anyway',
      },
    ])
  })

  test('a child that waits for its own parent', () => {
    const done = taken({
      tasks: [task('t-a'), task('t-b', { parent_id: 't-a' })],
      dependencies: [before('t-a', 't-b')],
    })
    expect([blockers(done), told(done)]).toEqual([
      { 't-a': [], 't-b': [] },
      { 'edge-ring': ['t-a before t-b: t-b is a subtask of t-a'] },
    ])
  })

  test('of the edges of a ring the one goes whose blocker is done, else the newest', () => {
    const parents = [task('t-p'), task('t-q'), task('t-p1', { parent_id: 't-p' }), task('t-q1', { parent_id: 't-q' })]
    const edges = [before('t-p', 't-q1'), before('t-q', 't-p1')]
    expect(blockers(taken({ tasks: parents, dependencies: edges }))).toMatchObject({
      't-q1': ['t-p'],
      't-p1': [],
    })
    const isDone = parents.map((row) => (row['id'] === 't-p' ? { ...row, status: 'done' } : row))
    expect(blockers(taken({ tasks: isDone, dependencies: edges }))).toMatchObject({
      't-q1': [],
      't-p1': ['t-q'],
    })
  })

  test('tasks that are parents of each other, or of themselves', () => {
    const done = taken({
      tasks: [task('t-a', { parent_id: 't-b' }), task('t-b', { parent_id: 't-a' }), task('t-c', { parent_id: 't-c' })],
    })
    expect(done.tasks.map(({ id, parent }) => [id, parent])).toEqual([
      ['t-a', 't-b'],
      ['t-b', null],
      ['t-c', null],
    ])
    expect(told(done)).toEqual({ 'parent-ring': ['t-b', 't-c'] })
  })
})

test('orphans: parents, features, edges, log lines and notes of what is not there', () => {
  const done = taken({
    tasks: [task('t-a', { parent_id: 't-gone', feature_id: 'f-gone' })],
    dependencies: [before('t-gone', 't-a'), before('t-a', 't-gone')],
    task_logs: [{ task_id: 't-gone', message: 'x', timestamp: TIME }],
    journal: [{ run_id: 'run-1', iteration: 1, task_id: 't-gone', outcome: 'done', notes: 'n', created_at: TIME }],
  })
  expect(done.tasks).toMatchObject([{ id: 't-a', parent: null, feature: null, blockers: [] }])
  expect(done.notes).toMatchObject([{ task: null, text: 'n\n(done)' }])
  expect(done.report).toMatchObject({ tasks: 1, edges: 0, logs: 0, notes: 1 })
  expect(told(done)).toEqual({
    'note-orphan': ['t-gone'],
    'parent-orphan': ['t-a'],
    'feature-orphan': ['t-a'],
    'edge-orphan': ['t-gone before t-a', 't-a before t-gone'],
    'log-orphan': ['t-gone'],
  })
})

test('a tree that is too deep is cut into trees that are not', () => {
  const tasks = Array.from({ length: 200 }, (_, i) => task(`t-${i}`, { parent_id: i === 0 ? null : `t-${i - 1}` }))
  const done = taken({ tasks: tasks.toReversed() })
  expect(told(done)).toMatchObject({ depth: ['t-64', 't-128', 't-192'] })
})

describe('titles and descriptions', () => {
  test.each<[string, unknown, string]>([
    ['control characters', 'a\u001b[31mb\nc', 'ab c'],
    ['too long', 'x'.repeat(1_000_000), `${'x'.repeat(499)}…`],
    ['too long, of signs that count twice', '😀'.repeat(400), `${'😀'.repeat(249)}…`],
    ['empty', ' ', '(no title)'],
    ['no text', null, '(no title)'],
  ])('%s: fixed, and the original is in the log', (_, title, mended) => {
    const done = taken({ tasks: [task('t-a', { title })] })
    expect([done.tasks[0]?.title, told(done)]).toEqual([mended, { title: ['t-a'] }])
    expect(done.logs.map(({ kind, text }) => [kind, text])).toEqual([
      ['moved', `Its title in Rust Ralph was ${JSON.stringify(title ?? '')}`],
    ])
  })

  test('a description keeps its lines', () => {
    const [first, second] = taken({
      tasks: [task('t-a', { description: 'a\n\tb' }), task('t-b', { description: 'a\u0000\nb' })],
    }).tasks
    expect([first?.description, second?.description]).toEqual(['a\n\tb', 'a\nb'])
  })
})

test('both styles of time, and what is none', () => {
  const at = (text: unknown): number | undefined =>
    taken({ tasks: [task('t-a', { created_at: text })] }).tasks[0]?.past.createdAt
  expect(
    [
      '2026-02-22T08:01:51.902657+00:00',
      '2026-02-22T10:01:51.902657123+02:00',
      '2026-02-22 08:01:51',
      '2026-02-22T08:01:51Z',
      'yesterday',
      '2026-13-01 00:00:00',
      7,
    ].map(at),
  ).toEqual([
    Date.UTC(2026, 1, 22, 8, 1, 51, 902),
    Date.UTC(2026, 1, 22, 8, 1, 51, 902),
    Date.UTC(2026, 1, 22, 8, 1, 51),
    Date.UTC(2026, 1, 22, 8, 1, 51),
    AT,
    AT,
    AT,
  ])
})

test('tasks come in the order in which they were made', () => {
  const times = ['2026-02-22T08:00:00.5+00:00', '2026-02-22 08:00:00', '2026-02-22T08:00:00.500000+00:00']
  const done = taken({ tasks: times.map((created_at, i) => task(`t-${i}`, { created_at })) })
  expect(done.tasks.map(({ id }) => id)).toEqual(['t-1', 't-0', 't-2'])
})

test('states, numbers and names that cannot be here', () => {
  const done = taken({
    tasks: [
      task('t-a', { status: 'blocked', priority: 9e9, max_retries: -1, feature_id: 'x' }),
      task('t b', { status: 'paused', priority: 'high', max_retries: 3 }),
      task('t-c', { parent_id: 't b', status: 'done', max_retries: 0 }),
      { title: 'nobody' },
    ],
    dependencies: [before('t-a', 't b')],
    features: [
      { id: 'x', name: '../up', status: 'done', created_at: TIME, updated_at: TIME },
      { id: 'f-1', name: 'up', status: 'planned', created_at: TIME, updated_at: TIME },
      { id: 'f-2', name: 't-shirts', status: 'ready', created_at: TIME, updated_at: TIME },
    ],
  })
  expect(
    done.tasks.map((one) => [
      one.id,
      one.past.status,
      one.priority,
      one.maxRetries,
      one.feature,
      one.parent,
      one.blockers,
    ]),
  ).toEqual([
    ['t-a', 'pending', 1_000_000, null, 'up', null, []],
    ['t-b', 'pending', 0, null, null, null, ['t-a']],
    ['t-c', 'done', 0, 0, null, 't-b', []],
  ])
  expect(done.features.map(({ id, name, stage }) => [id, name, stage])).toEqual([
    [null, 'up', 'ready'],
    ['f-1', 'up-2', 'planned'],
    ['f-2', 'feature-t-shirts', 'ready'],
  ])
  expect(done.tasks.map(taskProblem)).toEqual([null, null, null])
  expect(told(done)).toEqual({
    blocked: ['t-a'],
    status: ['t-b'],
    'rolled-up': ['t-b (pending in Rust Ralph, done here)'],
    id: ['t b is t-b'],
    priority: ['t-a', 't-b'],
    'max-retries': ['t-a'],
    'feature-name': ['../up is up', 'up is up-2', 't-shirts is feature-t-shirts'],
    'task-unreadable': ['nobody'],
  })
})

test("a feature's documents are found in the project, wherever it lay when they were written", () => {
  const document = (path: string | null): string | null =>
    taken({ features: [{ id: 'f-1', name: 'login', spec_path: path }] }).features[0]?.spec ?? null
  expect(
    ['/home/ann/shop/.ralph/features/login/spec.md', '.ralph/features/login/spec.md', '/srv/papers/login.md', null].map(
      document,
    ),
  ).toEqual(['.ralph/features/login/spec.md', '.ralph/features/login/spec.md', '/srv/papers/login.md', null])
})

test('an id that another task has is given up by the later one, and means the first', () => {
  const old = {
    version: 5,
    tables: {
      tasks: [task('t-a'), task('t-a', { title: 'Again' }), task('t-b'), task('t-a-2', { parent_id: 't-a' })],
      dependencies: [before('t-a', 't-b')],
    },
  }
  const done = convertRustDatabase(old, AT, ['t-b'])
  expect(done.tasks.map(({ id, title, parent, blockers: all }) => [id, title, parent, all])).toEqual([
    ['t-a', 'Do t-a', null, []],
    ['t-a-3', 'Again', null, []],
    ['t-b-2', 'Do t-b', null, ['t-a']],
    ['t-a-2', 'Do t-a-2', 't-a', []],
  ])
  expect(told(done)).toEqual({ 'id-taken': ['t-a is t-a-3', 't-b is t-b-2'] })
  expect(done.logs.map(({ task: of, text }) => [of, text])).toEqual([
    ['t-a-3', 'Its id in Rust Ralph was "t-a"'],
    ['t-b-2', 'Its id in Rust Ralph was "t-b"'],
  ])
})

test('what names no task is not of the one whose id is empty', () => {
  const done = taken({
    tasks: [task('')],
    task_logs: [{ task_id: null, message: 'x', timestamp: TIME }],
    dependencies: [{ blocker_id: null, blocked_id: null }],
  })
  expect(told(done)).toEqual({
    id: ['"" is t-old'],
    'edge-orphan': ['null before null'],
    'log-orphan': ['null'],
  })
})

test('rows of a table that is no table of tasks never throw', () => {
  const odd: RustRow[] = [{}, { id: 5 }, { id: new Uint8Array(3), title: {} }, { id: '', title: '' }]
  const done = taken({
    tasks: odd,
    dependencies: odd,
    task_logs: odd,
    features: odd,
    journal: odd,
    model_overrides: odd,
  })
  expect(done.tasks.map(taskProblem)).toEqual([null])
})
