import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, describe, expect, test } from 'vitest'
import {
  JOURNAL_ROWS,
  oldDatabase,
  openOld,
  PLAIN_ROWS,
  rowsFor,
  type OldDatabase,
} from '../../../test/rust-project.ts'
import { RalphError } from '../../core/error.ts'
import { newTask } from '../../core/tasks/task.ts'
import { addTask } from '../../../test/kit/task-writes.ts'
import { findFeature, listFeatures } from '../../store/task/features.ts'
import { importRustData } from '../../store/task/rust-tool-import.ts'
import { recentNotes, searchNotes } from '../../store/journal.ts'
import type { Sql } from '../../store/db/sql.ts'
import { ensureFolder, makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { withStore } from '../open-store.ts'
import { RUST_DATABASE } from './rust-tasks.ts'
import { importPendingRustTasks, importRustTasks, type RustImportResult } from './import-rust-tasks.ts'

function aProject(old?: OldDatabase): string {
  const root = makeTempFolder('ralph-rust-')
  onTestFinished(() => removeFolder(root))
  ensureFolder(join(root, '.ralph'))
  if (old !== undefined) oldDatabase(join(root, RUST_DATABASE), old)
  return root
}

async function took(root: string): Promise<RustImportResult> {
  const done = await importRustTasks({ root, notice: () => {} })
  if (done === null) throw new Error('there was nothing to take over')
  return done
}

const inStore = <T>(root: string, look: (sql: Sql) => Promise<T>): Promise<T> => withStore(root, ({ sql }) => look(sql))

const tasksOf = (root: string): Promise<Record<string, unknown>[]> =>
  inStore(root, (sql) =>
    sql.all(`select id, parent, title, description, status, priority, max_retries, retries, verification, why, waits, claimed_by,
      (select name from features where features.id = tasks.feature) as feature, created_at, updated_at from tasks order by n`),
  ).then((rows) => rows.map((row) => ({ ...(row as Record<string, unknown>) })))

/** What of the folder must never change. */
function bytesOf(root: string): Record<string, string> {
  const folder = join(root, '.ralph')
  const names = readdirSync(folder).filter((name) => name.startsWith('progress.db'))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]))
}

const T1 = Date.UTC(2026, 1, 22, 8, 1, 51, 902)
const T2 = Date.UTC(2026, 1, 22, 9)
const S1 = Date.UTC(2026, 1, 23, 10)

describe.each([1, 2, 3, 4, 5])('version %i', (version) => {
  test('every task, edge, log line, feature and note is taken over, and the file stays as it is', async () => {
    const root = aProject({ version, rows: rowsFor(version) })
    const before = bytesOf(root)
    const { report, isNew } = await took(root)
    expect(bytesOf(root)).toEqual(before)
    const hasFeatures = version >= 2
    expect({
      ...report,
      mapped: report.mapped.map(({ is }) => is),
      left: report.left.map(({ is }) => is),
      isNew,
    }).toEqual({
      version,
      tasks: 4,
      edges: 2,
      features: hasFeatures ? 2 : 0,
      logs: 2,
      notes: version >= 3 ? 2 : 0,
      mapped: ['in_progress'],
      left: version >= 5 ? ['model-override'] : [],
      isNew: true,
    })
    const feature = hasFeatures ? 'login' : null
    const task = { claimed_by: null, max_retries: null, retries: 0, verification: null, why: null, waits: 0 }
    expect(await tasksOf(root)).toEqual([
      {
        ...task,
        id: 't-0a1b2c',
        parent: null,
        title: 'Sign in',
        description: '',
        status: 'pending',
        priority: 0,
        feature,
        created_at: T1,
        updated_at: T1,
      },
      {
        ...task,
        id: 't-111111',
        parent: 't-0a1b2c',
        title: 'A form',
        description: 'With a name\nand a password',
        status: 'done',
        priority: 1,
        verification: hasFeatures ? 'passed' : null,
        why: 'done in Rust Ralph',
        feature,
        created_at: T1,
        updated_at: S1,
      },
      {
        ...task,
        id: 't-22222222',
        parent: 't-0a1b2c',
        title: 'A session',
        description: '',
        status: 'pending',
        priority: 0,
        max_retries: hasFeatures ? 5 : null,
        retries: hasFeatures ? 2 : 0,
        verification: hasFeatures ? 'failed' : null,
        feature,
        created_at: T2,
        updated_at: S1,
      },
      {
        ...task,
        id: 't-333333',
        parent: null,
        title: 'Write it down',
        description: '',
        status: 'failed',
        priority: 5,
        why: 'Agent refused the request',
        waits: 1,
        feature: null,
        created_at: T2,
        updated_at: S1,
      },
    ])
    const logs = await inStore(root, (sql) =>
      sql.all<{ words: string }>("select task || ' ' || kind || ' ' || text as words from task_log order by n"),
    )
    expect(logs.map(({ words }) => words)).toEqual([
      't-111111 note looked at the router',
      't-333333 note Agent refused the request',
      't-22222222 moved It was in progress in Rust Ralph (agent-deadbeef); now pending',
    ])
    if (hasFeatures)
      expect(await inStore(root, listFeatures)).toMatchObject([
        {
          id: 'f-abcdef',
          name: 'login',
          stage: 'ready',
          spec: '.ralph/features/login/spec.md',
          tasks: 2,
          done: 1,
          createdAt: T1,
          updatedAt: S1,
        },
        { id: 'f-123456', name: 'search', stage: 'draft', tasks: 0 },
      ])
    if (version >= 3) {
      expect(await inStore(root, (sql) => recentNotes(sql, { run: null, limit: 9 }))).toMatchObject([
        { run: 'run-12345678', iteration: 2, task: 't-333333', at: S1, text: '(failed)' },
        {
          run: 'run-12345678',
          iteration: 1,
          task: 't-111111',
          at: T1,
          text: 'The router is in src/router.ts\n(done · opus · 34 s · files: src/form.ts, src/name.ts)',
        },
      ])
      expect(await inStore(root, (sql) => searchNotes(sql, 'router', 9))).toHaveLength(1)
    }
  })

  test('a second time changes nothing and tells the same', async () => {
    const root = aProject({ version, rows: rowsFor(version) })
    const first = await took(root)
    const tasks = await tasksOf(root)
    expect(await took(root)).toEqual({ ...first, isNew: false })
    expect(await tasksOf(root)).toEqual(tasks)
  })
})

test('a database with lines of text behind it is read', async () => {
  const root = aProject({ version: 3, rows: rowsFor(3) })
  appendFileSync(join(root, RUST_DATABASE), '[model-override] iteration=2 strategy_choice=sonnet hint=opus\n'.repeat(3))
  const before = bytesOf(root)
  expect((await took(root)).report).toMatchObject({ tasks: 4, edges: 2, features: 2, notes: 2 })
  expect(bytesOf(root)).toEqual(before)
})

test.each<[string, OldDatabase, object]>([
  ['after the table of version 2', { version: 1, cut: 1, rows: PLAIN_ROWS }, { version: 1, tasks: 4, features: 0 }],
  [
    'after half of the columns of version 2',
    {
      version: 1,
      cut: 3,
      rows: [
        ...PLAIN_ROWS,
        "insert into features values ('f-abcdef','login',null,null,'ready','x','y')",
        "update tasks set feature_id = 'f-abcdef'",
      ],
    },
    { version: 1, tasks: 4, features: 1 },
  ],
  [
    'after the journal of version 3',
    { version: 2, cut: 1, rows: [...rowsFor(2), ...JOURNAL_ROWS] },
    { version: 2, tasks: 4, notes: 2 },
  ],
])('a migration that was cut off %s', async (_, old, report) => {
  expect((await took(aProject(old))).report).toMatchObject(report)
})

test('what was committed is read while somebody holds the database, and what stands in its -wal too', async () => {
  const root = aProject({ version: 5, rows: rowsFor(5) })
  const file = join(root, RUST_DATABASE)
  const writer = openOld(file)
  writer.exec(
    "insert into tasks (id, title, created_at, updated_at) values ('t-444444', 'In the wal', '2026-03-01 00:00:00', '2026-03-01 00:00:00')",
  )
  writer.exec('begin exclusive')
  writer.exec("insert into tasks (id, title, created_at, updated_at) values ('t-555555', 'Not committed', 'x', 'y')")
  try {
    const before = bytesOf(root)
    expect(Object.keys(before)).toContain('progress.db-wal')
    expect((await took(root)).report.tasks).toBe(5)
    expect(bytesOf(root)).toEqual(before)
  } finally {
    writer.exec('rollback')
    writer.close()
  }
})

test('a lock of another process is not in the way', async () => {
  const root = aProject({ version: 5, rows: rowsFor(5) })
  const code = `const { DatabaseSync } = require('@photostructure/sqlite')
    const db = new DatabaseSync(process.argv[1])
    db.exec('pragma journal_mode = delete')
    db.exec('begin exclusive')
    console.log('held')
    setInterval(() => {}, 1000)`
  const lockOwner = spawn(process.execPath, ['-e', code, join(root, RUST_DATABASE)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise<void>((resolve, reject) => {
      lockOwner.stdout.once('data', () => resolve())
      lockOwner.once('exit', () => reject(new Error('the holder is gone')))
    })
    expect((await took(root)).report.tasks).toBe(4)
  } finally {
    lockOwner.kill('SIGKILL')
  }
})

describe('what holds no tasks', () => {
  test.each<[string, (root: string) => void]>([
    ['no file', () => {}],
    ['an empty file', (root) => writeFileSync(join(root, RUST_DATABASE), '')],
    ['a database without tables', (root) => oldDatabase(join(root, RUST_DATABASE), { version: 0, rows: [] })],
    ['tables without rows', (root) => oldDatabase(join(root, RUST_DATABASE), { version: 5, rows: [] })],
  ])('%s: nothing is taken over, and no store is made', async (_, make) => {
    const root = aProject()
    make(root)
    expect(await importRustTasks({ root, notice: () => {} })).toBeNull()
    await expect(inStore(root, listFeatures)).rejects.toMatchObject({ code: 'no-run' })
  })

  test.each<[string, (file: string) => void, string]>([
    ['a folder', (file) => ensureFolder(join(file, 'inside')), 'it is a folder'],
    [
      'tasks of somebody else',
      (file) => {
        const db = openOld(file)
        db.exec('create table tasks (number integer); insert into tasks values (1), (2); pragma user_version = 9')
        db.close()
      },
      'it contains only 2 tasks without an id (version 9)',
    ],
  ])("%s in its place is told, and in nobody's way", async (_, make, why) => {
    const root = aProject()
    make(join(root, RUST_DATABASE))
    const words = `${join(root, RUST_DATABASE)} cannot be read: ${why}`
    await expect(took(root)).rejects.toMatchObject({ code: 'bad-file', message: words })
    const told: string[] = []
    await importPendingRustTasks({ root, notice: (text) => void told.push(text) })
    expect(told).toMatchObject([expect.stringContaining(words)])
  })

  test('a file that is no database is refused by name, and goes by as a notice where tasks are only needed', async () => {
    const root = aProject()
    writeFileSync(
      join(root, RUST_DATABASE),
      'This is no database, but it is long enough to be asked about.\n'.repeat(99),
    )
    const file = join(root, RUST_DATABASE)
    const refusal = await importRustTasks({ root, notice: () => {} }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(RalphError)
    expect(refusal).toMatchObject({
      code: 'bad-file',
      message: `${file} cannot be read: it is damaged (file is not a database)`,
    })
    const told: string[] = []
    await importPendingRustTasks({ root, notice: (text) => void told.push(text) })
    expect(told).toEqual([
      `The tasks of Rust Ralph were not imported: ${file} cannot be read: it is damaged (file is not a database). Nothing was imported, and the file was not changed. If you do not need it, move it away.`,
    ])
  })
})

async function addMine(root: string): Promise<void> {
  const add = ({ sql }: { sql: Sql }): Promise<string> => addTask(sql, newTask('Mine', { id: 't-333333' }), 1)
  await withStore(root, add, { create: true, notice: () => {} })
}

test('a task that is here already keeps its id, and that of the Rust tool gets another', async () => {
  const root = aProject({ version: 2, rows: rowsFor(2) })
  await addMine(root)
  expect((await took(root)).report.mapped).toMatchObject([
    { is: 'in_progress' },
    { is: 'id-taken', some: ['t-333333 is t-333333-2'] },
  ])
  expect((await tasksOf(root)).map(({ id, title }) => [id, title])).toContainEqual(['t-333333-2', 'Write it down'])
})

test('all of it or nothing: an id that somebody gives away meanwhile leaves the store as it was', async () => {
  const root = aProject()
  await addMine(root)
  const at = Date.UTC(2026, 1, 1)
  const feature = { id: null, name: 'login', stage: 'ready' as const, spec: null, plan: null }
  const work = {
    features: [{ ...feature, createdAt: at, updatedAt: at }],
    tasks: [newTask('First', { id: 't-111111' }), newTask('Taken', { id: 't-333333' })],
    logs: [],
    notes: [],
  }
  await expect(inStore(root, (sql) => importRustData(sql, work, { at, told: '{}' }))).rejects.toThrow(
    'task t-333333 already exists',
  )
  expect((await tasksOf(root)).map(({ id }) => id)).toEqual(['t-333333'])
  expect(await inStore(root, (sql) => findFeature(sql, 'login'))).toBeNull()
})

test('numbers and texts that no program should have written are no reason to read nothing', async () => {
  const root = aProject({
    version: 5,
    rows: [
      ...rowsFor(5),
      "update tasks set priority = 9223372036854775807, title = 'a' || char(0) || 'b' where id = 't-333333'",
      "update tasks set description = x'6162ff' where id = 't-111111'",
    ],
  })
  await took(root)
  const tasks = await tasksOf(root)
  expect(tasks.find(({ id }) => id === 't-333333')).toMatchObject({ title: 'ab', priority: 1_000_000 })
  expect(tasks.find(({ id }) => id === 't-111111')).toMatchObject({ description: 'ab\ufffd' })
})

test('a command that only needs tasks says once what it found', async () => {
  const root = aProject({ version: 5, rows: rowsFor(5) })
  const told: string[] = []
  for (let i = 0; i < 2; i += 1) await importPendingRustTasks({ root, notice: (text) => void told.push(text) })
  expect(told).toEqual([
    'Imported 4 tasks, 2 dependencies, 2 features, 2 log lines and 2 journal entries from Rust Ralph. Ralph did not change .ralph/progress.db and will not read it again. Details: ralph migrate.',
  ])
})
