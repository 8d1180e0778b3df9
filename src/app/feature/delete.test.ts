import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { taskFileText, draft } from '../../../test/kit/feature.ts'
import { newTask } from '../../core/tasks/task.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTask } from '../../../test/kit/task-writes.ts'
import { releaseLock, acquireLock } from '../../store/lock.ts'
import { claimTask } from '../../store/task/claims.ts'
import { findFeature } from '../../store/task/features.ts'
import { ALL_TASKS_QUERY, listTasks } from '../../store/task/list-tasks.ts'
import { markTask } from '../../store/task/mark-task.ts'
import { ensureFolder, makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { withStore } from '../open-store.ts'
import type { StoreLocation } from '../task/task-store.ts'
import { acceptDraft } from './accept-draft.ts'
import { deleteFeature } from './delete.ts'
import { readTaskDraft } from './task-draft.ts'
import { loadFeatureFacts, listFeatureFacts } from './features.ts'
import { reopenFeature } from './reopen.ts'

const FOLDER = '.ralph/features/login'
const PROSE = `# It\n\n${'Words that say what is wanted. '.repeat(10)}\n`

function aProject(): StoreLocation {
  const root = makeTempFolder('ralph-feature-')
  onTestFinished(() => removeFolder(root))
  ensureFolder(join(root, FOLDER))
  return { root, notice: () => {} }
}

async function accepted(location: StoreLocation): Promise<Record<string, string>> {
  writeWithoutSync(join(location.root, FOLDER, 'spec.md'), PROSE)
  writeWithoutSync(
    join(location.root, FOLDER, 'tasks.json'),
    taskFileText(
      draft('all', { title: 'All', checks: [] }),
      draft('a', { title: 'A', parent: 'all' }),
      draft('b', { title: 'B', parent: 'all', after: ['a'] }),
      draft('part', { title: 'Part', checks: [] }),
      draft('c', { title: 'C', parent: 'part', after: ['b'] }),
    ),
  )
  const { added } = await acceptDraft(location, await readTaskDraft(location, 'login'))
  return Object.fromEntries(added.map(({ key, task }) => [key, task]))
}

const inStore = <T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> =>
  withStore(location.root, ({ sql }) => work(sql))
const titlesIn = (location: StoreLocation): Promise<string[]> =>
  inStore(location, async (sql) =>
    (await listTasks(sql, { ...ALL_TASKS_QUERY, at: 0 }))
      .map(({ title, feature }) => `${title} ${feature ?? '-'}`)
      .toSorted(),
  )

test('what is open goes, what is done stays on its own, and the documents lie elsewhere', async () => {
  const location = aProject()
  const ids = await accepted(location)
  await inStore(location, (sql) => markTask(sql, ids['a'] ?? '', { as: 'done', why: null, by: 'human', at: 1 }))
  const would = await deleteFeature(location, 'login', { unblock: false, confirmed: 'harmless' })
  expect(would).toMatchObject({
    applied: false,
    what: { name: 'login', documents: true, backup: null, released: [] },
  })
  expect(await titlesIn(location)).toHaveLength(5)
  const { backup: _, ...shown } = would.what
  const { applied, what } = await deleteFeature(location, 'login', {
    unblock: false,
    confirmed: { to: shown },
  })
  expect(applied).toBe(true)
  expect([what.removed.length, what.stay.length]).toEqual([3, 2])
  expect(await titlesIn(location)).toEqual(['A -', 'All -'])
  expect(existsSync(join(location.root, FOLDER))).toBe(false)
  expect(readdirSync(join(location.root, what.backup ?? '')).toSorted()).toEqual(['spec.md', 'tasks.json'])
  expect(await listFeatureFacts(location)).toEqual([])
  await expect(deleteFeature(location, 'login', { unblock: false, confirmed: 'anything' })).rejects.toMatchObject({
    code: 'not-found',
    hint: 'Start one: ralph feature create NAME "what I want"',
  })
  // A second one of the same name, in the same second perhaps.
  ensureFolder(join(location.root, FOLDER))
  const again = await deleteFeature(location, 'login', { unblock: false, confirmed: 'anything' })
  expect(again.what.backup).not.toBe(what.backup)
})

test('it is refused while somebody works on one of its tasks, or others wait for one', async () => {
  const location = aProject()
  const ids = await accepted(location)
  await inStore(location, (sql) => addTask(sql, newTask('Mine', { blockers: [ids['c'] ?? ''] }), 1))
  await expect(deleteFeature(location, 'login', { unblock: false, confirmed: 'anything' })).rejects.toMatchObject({
    message: 'feature login cannot be deleted: 1 other task would wait for it forever',
    hint: 'Remove the dependencies on it too: ralph feature delete login --unblock',
  })
  await inStore(location, (sql) =>
    claimTask(sql, { scope: { is: 'all' }, run: 'r', worker: '7', at: 1, leaseMs: 9_999_999_999_999 }),
  )
  await expect(deleteFeature(location, 'login', { unblock: true, confirmed: 'anything' })).rejects.toMatchObject({
    code: 'held',
    // The run that has it would take it again at once.
    hint: expect.stringMatching(/ralph stop.*ralph task reset/) as unknown,
  })
  expect(await titlesIn(location)).toHaveLength(6)
  expect(existsSync(join(location.root, FOLDER, 'tasks.json'))).toBe(true)
  await inStore(location, async (sql) => {
    const { resetTask } = await import('../../store/task/mark-task.ts')
    await resetTask(sql, ids['a'] ?? '', { all: false, by: 'human', at: 2 })
  })
  const { what } = await deleteFeature(location, 'login', { unblock: true, confirmed: 'anything' })
  // It was worked on: its log stays, and so does the parent it lies in.
  expect(what.archived).toContain(ids['a'])
  expect(what.released.map(({ title }) => title)).toEqual(['Mine'])
  expect(await titlesIn(location)).toEqual(['Mine -'])
})

test('reopened, it is a draft again; what is to be written anew is set aside, and its tasks stay', async () => {
  const location = aProject()
  await accepted(location)
  expect(await loadFeatureFacts(location, 'login')).toMatchObject({
    stage: 'ready',
    accepted: true,
    next: 'ralph run login',
  })
  const first = await reopenFeature(location, 'login', 'plan')
  // There is no plan to quarantined.
  expect(first).toMatchObject({ name: 'login', tasks: 3, done: 0 })
  expect(first.set_aside.map(({ from }) => from)).toEqual([`${FOLDER}/tasks.json`])
  expect(readFileSync(join(location.root, first.set_aside[0]?.to ?? ''), 'utf8')).toContain('"version": 1')
  writeWithoutSync(join(location.root, FOLDER, 'tasks.json'), taskFileText(draft('x')))
  const second = await reopenFeature(location, 'login', 'spec')
  expect(second.set_aside.map(({ from }) => from)).toEqual([`${FOLDER}/spec.md`, `${FOLDER}/tasks.json`])
  expect(second.set_aside[1]?.to).not.toBe(first.set_aside[0]?.to)
  expect(readdirSync(join(location.root, FOLDER))).toHaveLength(3)
  expect(await loadFeatureFacts(location, 'login')).toMatchObject({
    stage: 'draft',
    tasks: 3,
    accepted: false,
    next: 'ralph feature create login',
  })
})

test('documents without a store are a feature: they came with the repository', async () => {
  const location = aProject()
  writeWithoutSync(join(location.root, FOLDER, 'spec.md'), 'short')
  writeWithoutSync(join(location.root, FOLDER, 'tasks.json'), taskFileText(draft('a')))
  ensureFolder(join(location.root, '.ralph/features/not.one'))
  symlinkSync('/etc', join(location.root, '.ralph/features/link'))
  const link = { is: 'unread', problems: ['.ralph/features/link is a link'] }
  expect(await listFeatureFacts(location)).toEqual([
    expect.objectContaining({
      name: 'link',
      documents: [link, link, link].map((one) => expect.objectContaining(one) as unknown),
      next: null,
    }),
    {
      id: null,
      name: 'login',
      status: 'draft',
      stage: 'draft',
      tasks: 0,
      done: 0,
      failed: 0,
      running: 0,
      documents: [
        {
          document: 'spec',
          path: `${FOLDER}/spec.md`,
          is: 'unfinished',
          problems: [
            'it has 5 characters, which is too short to be useful (short)',
            'it has no heading: begin its sections with lines such as "## Requirements"',
          ],
        },
        { document: 'plan', path: `${FOLDER}/plan.md`, is: 'missing', problems: [] },
        { document: 'tasks', path: `${FOLDER}/tasks.json`, is: 'whole', problems: [] },
      ],
      accepted: false,
      created_at: null,
      updated_at: null,
      next: 'ralph feature accept login',
    },
  ])
  expect(await reopenFeature(location, 'login', 'tasks')).toMatchObject({
    id: null,
    set_aside: [{ from: `${FOLDER}/tasks.json` }],
  })
  await expect(loadFeatureFacts(location, 'logn')).rejects.toMatchObject({ hint: 'Did you mean login?' })
})

test.skipIf(process.getuid?.() === 0)('a folder that nobody may look into hides no other feature', async () => {
  const location = aProject()
  writeWithoutSync(join(location.root, FOLDER, 'tasks.json'), taskFileText(draft('a')))
  const closed = join(location.root, '.ralph/features/closed')
  ensureFolder(closed)
  chmodSync(closed, 0)
  onTestFinished(() => chmodSync(closed, 0o700))
  expect(
    (await listFeatureFacts(location)).map(({ name, documents }) => [name, documents.map(({ is }) => is)]),
  ).toEqual([
    ['closed', ['unread', 'unread', 'unread']],
    ['login', ['missing', 'missing', 'whole']],
  ])
})

test('a link in the way is told, and nothing is moved through it', async () => {
  const location = aProject()
  await accepted(location)
  const elsewhere = makeTempFolder('ralph-elsewhere-')
  onTestFinished(() => removeFolder(elsewhere))
  symlinkSync(elsewhere, join(location.root, '.ralph/features/.deleted'))
  await expect(deleteFeature(location, 'login', { unblock: true, confirmed: 'anything' })).rejects.toMatchObject({
    code: 'bad-file',
    message: '.ralph/features/.deleted is a link; Ralph does not write documents through links',
  })
  expect(readdirSync(elsewhere)).toEqual([])
  symlinkSync(elsewhere, join(location.root, FOLDER, 'plan.md'))
  await expect(reopenFeature(location, 'login', 'spec')).rejects.toMatchObject({
    message: `${FOLDER}/plan.md is a link; Ralph does not write documents through links`,
  })
  expect(await loadFeatureFacts(location, 'login')).toMatchObject({ stage: 'ready' })
  expect(existsSync(join(location.root, FOLDER, 'spec.md'))).toBe(true)
  // Nothing was deleted without its backup.
  expect(await inStore(location, (sql) => findFeature(sql, 'login'))).not.toBeNull()
})

test('documents that cannot be kept keep their feature from being deleted', async () => {
  const location = aProject()
  await accepted(location)
  writeWithoutSync(join(location.root, '.ralph/features/.deleted'), 'mine')
  await expect(deleteFeature(location, 'login', { unblock: true, confirmed: 'anything' })).rejects.toMatchObject({
    message: '.ralph/features/.deleted is not a folder; Ralph moves the documents of deleted features there',
  })
  expect(await titlesIn(location)).toHaveLength(5)
})

test.skipIf(process.getuid?.() === 0)('papers that nobody may move stay, and so does all else', async () => {
  const location = aProject()
  await accepted(location)
  const folder = join(location.root, FOLDER)
  chmodSync(folder, 0o500)
  onTestFinished(() => chmodSync(folder, 0o700))
  for (const work of [
    () => deleteFeature(location, 'login', { unblock: true, confirmed: 'anything' }),
    () => reopenFeature(location, 'login', 'tasks'),
  ])
    await expect(work()).rejects.toMatchObject({
      code: 'disk',
      message: `could not write ${folder}: permission denied`,
    })
  expect(await titlesIn(location)).toHaveLength(5)
  expect(await loadFeatureFacts(location, 'login')).toMatchObject({ stage: 'ready', accepted: true })
})

test('the next step is one that can be taken', async () => {
  const location = aProject()
  const ids = await accepted(location)
  const next = async (): Promise<string | null> => (await loadFeatureFacts(location, 'login')).next
  const mark = (key: string, as: 'done' | 'failed'): Promise<unknown> =>
    inStore(location, (sql) => markTask(sql, ids[key] ?? '', { as, why: null, by: 'human', at: 1 }))
  expect(await next()).toBe('ralph run login')
  await inStore(location, (sql) =>
    acquireLock(sql, location.root, { ...ownProcessIdentity(), command: 'ralph run login', run: null, since: 1 }),
  )
  expect(await next()).toBe('ralph status')
  await inStore(location, (sql) => releaseLock(sql, location.root, ownProcessIdentity()))
  // The others wait for it, and no run takes it.
  await mark('a', 'failed')
  expect(await next()).toBe('ralph task list --feature login --status failed')
  const mine = await inStore(location, (sql) => addTask(sql, newTask('Mine', {}), 1))
  await mark('a', 'done')
  await inStore(location, async (sql) => {
    const { addEdge } = await import('../../store/task/edges.ts')
    await sql.transaction((tx) => addEdge(tx, { blocker: mine, blocked: ids['b'] ?? '' }, 1))
  })
  expect(await next()).toBe('ralph task tree login')
})

test('while somebody drafts here, documents stay where they are', async () => {
  const location = aProject()
  await accepted(location)
  await inStore(location, async (sql) => {
    await sql.run(
      `insert into runs (id, workspace, project, command, started_at, version, pid, kind)
       values ('r', ?, 'p', 'ralph feature create other', 1, '1', 1, 'feature')`,
      location.root,
    )
    await acquireLock(sql, location.root, {
      ...ownProcessIdentity(),
      command: 'ralph feature create other',
      run: null,
      since: 1,
    })
  })
  for (const work of [
    () => deleteFeature(location, 'login', { unblock: false, confirmed: 'anything' }),
    () => reopenFeature(location, 'login', 'spec'),
  ])
    await expect(work()).rejects.toMatchObject({
      code: 'held',
      message: expect.stringContaining('"ralph feature create other"') as unknown,
      hint: 'Stop it first: ralph stop',
    })
  expect(readdirSync(join(location.root, FOLDER)).toSorted()).toEqual(['spec.md', 'tasks.json'])
})
