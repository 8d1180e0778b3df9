import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { taskFileText, draft } from '../../../test/kit/feature.ts'
import { newTask, type Task } from '../../core/tasks/task.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTask } from '../../../test/kit/task-writes.ts'
import { claimTask } from '../../store/task/claims.ts'
import { findFeature } from '../../store/task/features.ts'
import { ALL_TASKS_QUERY, listTasks } from '../../store/task/list-tasks.ts'
import { markTask } from '../../store/task/mark-task.ts'
import { updateTask } from '../../store/task/update-task.ts'
import { ensureFolder, makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { withStore } from '../open-store.ts'
import { findScope } from '../task/scope.ts'
import type { StoreLocation } from '../task/task-store.ts'
import { acceptDraft, type AcceptDraftResult } from './accept-draft.ts'
import { prepareDraft } from './prepare-draft.ts'
import { readTaskDraft } from './task-draft.ts'
import { listFeatureFacts } from './features.ts'

const PATH = '.ralph/features/login/tasks.json'

function aProject(): StoreLocation {
  const root = makeTempFolder('ralph-feature-')
  onTestFinished(() => removeFolder(root))
  ensureFolder(join(root, '.ralph/features/login'))
  return { root, notice: () => {} }
}

function write(location: StoreLocation, ...tasks: object[]): void {
  writeWithoutSync(join(location.root, PATH), taskFileText(...tasks))
}

async function acceptNow(location: StoreLocation): Promise<AcceptDraftResult> {
  return acceptDraft(location, await readTaskDraft(location, 'login'))
}

const inStore = <T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> =>
  withStore(location.root, ({ sql }) => work(sql))

/** By title, with whom they wait for. */
async function tasksIn(location: StoreLocation): Promise<Record<string, Partial<Task> & { after: string[] }>> {
  return inStore(location, async (sql) => {
    const tasks = await listTasks(sql, { ...ALL_TASKS_QUERY, at: 0 })
    const titles = new Map(tasks.map(({ id, title }) => [id, title]))
    const edges = await sql.all<{ blocker: string; blocked: string }>('select blocker, blocked from edges')
    return Object.fromEntries(
      tasks.map((task) => [
        task.title,
        {
          ...task,
          parent: titles.get(task.parent ?? '') ?? null,
          after: edges
            .filter(({ blocked }) => blocked === task.id)
            .map(({ blocker }) => titles.get(blocker) ?? '')
            .toSorted(),
        },
      ]),
    )
  })
}

const shapeOf = async (location: StoreLocation): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await tasksIn(location)).map(([title, { parent, after, status }]) => [
      title,
      `${status ?? ''} in ${parent ?? 'nothing'} after ${after.join(', ')}`,
    ]),
  )

const idOf = async (location: StoreLocation, title: string): Promise<string> =>
  (await tasksIn(location))[title]?.id ?? ''

test('a document becomes the tasks of its feature, all at once; a second time adds nothing', async () => {
  const location = aProject()
  writeWithoutSync(join(location.root, '.ralph/features/login/spec.md'), '# Spec\n')
  write(
    location,
    draft('all', { title: 'Log in', checks: [] }),
    draft('form', {
      title: 'A form',
      parent: 'all',
      files: ['src/form.ts'],
      description: 'Words.',
      tests: ['test/form.ts'],
    }),
    draft('session', { title: 'A session', parent: 'all', after: ['form'], priority: 2 }),
  )
  const first = await acceptNow(location)
  expect(first).toMatchObject({ feature: { name: 'login' }, changed: [], gone: [], stays: [] })
  expect(first.added.map(({ key }) => key)).toEqual(['all', 'form', 'session'])
  expect(await tasksIn(location)).toMatchObject({
    'Log in': { parent: null, children: 2, feature: first.feature.id, after: [] },
    'A form': {
      parent: 'Log in',
      description: 'Words.\n\nFiles: src/form.ts',
      checks: ['npm test'],
      tests: ['test/form.ts'],
    },
    'A session': { parent: 'Log in', after: ['A form'], priority: 2, waits: 1 },
  })
  const feature = await inStore(location, (sql) => findFeature(sql, 'login'))
  expect(feature).toMatchObject({
    stage: 'ready',
    spec: '.ralph/features/login/spec.md',
    plan: null,
    tasks: 2,
  })
  const again = await acceptNow(location)
  expect(again).toMatchObject({ added: [], changed: [], gone: [], stays: [], changes: [] })
  expect(Object.keys(await tasksIn(location))).toHaveLength(3)
  // What a person changed since is theirs: the document says what it said.
  await inStore(location, async (sql) => updateTask(sql, await idOf(location, 'A form'), { title: 'A better form' }, 1))
  expect(await acceptNow(location)).toMatchObject({ changed: [] })
})

test('a later document: new ones come, open ones change, those it has no longer go, what is done stays', async () => {
  const location = aProject()
  write(
    location,
    draft('all', { title: 'All', checks: [] }),
    draft('done', { title: 'Done', parent: 'all' }),
    draft('a', { title: 'A', parent: 'all', after: ['done'] }),
    draft('b', { title: 'B', parent: 'all', after: ['a'] }),
    draft('old', { title: 'Old', after: ['b'] }),
  )
  await acceptNow(location)
  await inStore(location, async (sql) => {
    await markTask(sql, await idOf(location, 'Done'), { as: 'done', why: null, by: 'human', at: 1 })
    await markTask(sql, await idOf(location, 'B'), { as: 'failed', why: 'x', by: 'human', at: 1 })
    await addTask(sql, newTask('Mine', { blockers: [await idOf(location, 'Old')] }), 1)
  })
  // The order of A and B is turned round, and B hangs on a new one.
  write(
    location,
    draft('new', { title: 'New', checks: [], after: ['done'] }),
    draft('done', { title: 'Done otherwise' }),
    draft('b', { title: 'B', parent: 'new' }),
    draft('a', { title: 'A', after: ['b', 'late'] }),
    draft('late', { title: 'Late' }),
  )
  expect((await readTaskDraft(location, 'login')).waiting).toMatchObject([{ title: 'Mine' }])
  const second = await acceptNow(location)
  expect(second.added.map(({ key }) => key)).toEqual(['new', 'late'])
  expect(second.changed.map(({ key }) => key)).toEqual(['b', 'a'])
  // Its child is done and stays, so it stays too.
  expect(second.gone.map(({ key }) => key)).toEqual(['old'])
  expect(second.stays.map(({ key }) => key)).toEqual(['done', 'all'])
  expect(second.released.map(({ title }) => title)).toEqual(['Mine'])
  expect(await shapeOf(location)).toEqual({
    All: 'done in nothing after ',
    Done: 'done in All after ',
    New: 'pending in nothing after Done',
    B: 'pending in New after ',
    A: 'pending in nothing after B, Late',
    Late: 'pending in nothing after ',
    Mine: 'pending in nothing after ',
  })
})

test('what goes together waits for nothing any more, and what stays is called what it is called', async () => {
  const location = aProject()
  write(location, draft('a', { title: 'A' }), draft('b', { title: 'B', after: ['a'] }), draft('c', { title: 'C' }))
  await acceptNow(location)
  await inStore(location, async (sql) =>
    markTask(sql, await idOf(location, 'C'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(location, draft('c', { title: 'C otherwise' }), draft('d', { title: 'D' }))
  expect(await acceptNow(location)).toMatchObject({
    gone: [{ key: 'a' }, { key: 'b' }],
    released: [],
    stays: [{ key: 'c', title: 'C' }],
  })
})

test('a group stays with what is done below it, as it was shown; what the document moves away does not hold it', async () => {
  const location = aProject()
  const group = (key: string, below: string): object[] => [
    draft(key, { title: key, checks: [] }),
    draft(below, { title: below, parent: key }),
  ]
  write(location, ...group('g', 'a'), draft('b', { title: 'b', parent: 'g' }), ...group('h', 'c'))
  await acceptNow(location)
  await inStore(location, async (sql) =>
    markTask(sql, await idOf(location, 'a'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(location, draft('c', { title: 'c' }))
  const { revision } = await readTaskDraft(location, 'login')
  expect([revision.gone, revision.stays].map((some) => some.map(({ key }) => key).toSorted())).toEqual([
    ['b', 'h'],
    ['a', 'g'],
  ])
  const { gone, stays, changes } = await acceptNow(location)
  expect({ gone, stays, changes }).toEqual({ gone: revision.gone, stays: revision.stays, changes: [] })
  expect(Object.keys(await tasksIn(location)).toSorted()).toEqual(['a', 'c', 'g'])
})

test('a task that is only called otherwise is the one it was: nothing is done twice', async () => {
  const location = aProject()
  const parts = (key: string, form: string): object[] => [
    draft(key, { title: 'Sign in', checks: [] }),
    draft(form, { title: 'A form', parent: key }),
    draft('session', { title: 'A session', parent: key, after: [form] }),
  ]
  write(location, ...parts('all', 'form'), draft('twin', { title: 'Two' }), draft('twin-2', { title: 'Two' }))
  await acceptNow(location)
  const form = await idOf(location, 'A form')
  await inStore(location, (sql) => markTask(sql, form, { as: 'done', why: null, by: 'human', at: 1 }))
  const before = await shapeOf(location)
  write(location, ...parts('sign-in', 'the-form'), draft('twin', { title: 'Two' }), draft('twin-2', { title: 'Two' }))
  expect(await acceptNow(location)).toMatchObject({ added: [], changed: [], gone: [], stays: [] })
  expect(await shapeOf(location)).toEqual(before)
  expect(await idOf(location, 'A form')).toBe(form)
  // From now on it has that key; two that say the same cannot be told apart, and are what their keys say.
  write(location, ...parts('sign-in', 'the-form'), draft('one', { title: 'Two' }), draft('other', { title: 'Two' }))
  const { added, gone, stays } = await acceptNow(location)
  expect([added, gone, stays].map((some) => some.map(({ key }) => key))).toEqual([
    ['one', 'other'],
    ['twin', 'twin-2'],
    [],
  ])
})

test('what a person wrote into a task stays where the document says what it said', async () => {
  const location = aProject()
  write(location, draft('a', { title: 'A', checks: ['npm test'], files: ['a.ts'], criteria: ['It is blue'] }))
  await acceptNow(location)
  const own = { title: 'Mine', checks: ['npm test', 'npm run lint'] }
  await inStore(location, async (sql) => updateTask(sql, await idOf(location, 'A'), own, 1))
  write(location, draft('a', { title: 'A', checks: ['npm test'], files: ['b.ts'], criteria: [], priority: 3 }))
  expect(await acceptNow(location)).toMatchObject({ changed: [{ key: 'a' }] })
  expect(Object.values(await tasksIn(location))).toMatchObject([
    { ...own, description: 'Files: b.ts', criteria: [], priority: 3 },
  ])
})

test('what was done by hand before its time can come first in a later document', async () => {
  const location = aProject()
  write(location, draft('a', { title: 'A' }), draft('b', { title: 'B', after: ['a'] }))
  await acceptNow(location)
  await inStore(location, async (sql) =>
    markTask(sql, await idOf(location, 'B'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(location, draft('b', { title: 'B' }), draft('a', { title: 'A', after: ['b'] }))
  expect(await acceptNow(location)).toMatchObject({ changed: [{ key: 'a' }], stays: [{ key: 'b' }] })
  expect(await shapeOf(location)).toEqual({ A: 'pending in nothing after B', B: 'done in nothing after ' })
})

test('what was shown is accepted, and nothing else', async () => {
  const location = aProject()
  write(location, draft('a'))
  const shown = await readTaskDraft(location, 'login')
  write(location, draft('a'), draft('b'))
  await expect(acceptDraft(location, shown)).rejects.toMatchObject({
    code: 'changed-meanwhile',
    hint: 'Review it again: ralph feature accept login',
  })
  // Somebody else was quicker with the very same.
  const both = await readTaskDraft(location, 'login')
  await acceptNow(location)
  await expect(acceptDraft(location, both)).rejects.toMatchObject({ code: 'changed-meanwhile' })
  expect(Object.keys(await tasksIn(location))).toHaveLength(2)
})

test('a task that somebody works on is not changed under their hands', async () => {
  const location = aProject()
  write(location, draft('a'), draft('b'))
  await acceptNow(location)
  await inStore(location, (sql) =>
    claimTask(sql, {
      scope: { is: 'all' },
      run: 'r',
      worker: '7',
      at: 1,
      leaseMs: 9_999_999_999_999,
    }),
  )
  write(location, draft('b'))
  await expect(acceptNow(location)).rejects.toMatchObject({
    code: 'held',
    message: expect.stringContaining('cannot be changed while r/7 is working on it') as unknown,
  })
  expect(Object.keys(await tasksIn(location))).toHaveLength(2)
  write(location, draft('a'), draft('b'), draft('c'))
  expect((await acceptNow(location)).added).toHaveLength(1)
})

test('a cycle with tasks of others is refused, and nothing is changed', async () => {
  const location = aProject()
  write(location, draft('a', { title: 'A' }), draft('b', { title: 'B' }))
  await acceptNow(location)
  await inStore(location, async (sql) => {
    const mine = await addTask(sql, newTask('Mine', { blockers: [await idOf(location, 'A')] }), 1)
    await sql.transaction(async (tx) => {
      const { addEdge } = await import('../../store/task/edges.ts')
      await addEdge(tx, { blocker: mine, blocked: await idOf(location, 'B') }, 1)
    })
  })
  write(location, draft('a', { title: 'A', after: ['b'] }), draft('b', { title: 'B' }), draft('c', { title: 'C' }))
  await expect(acceptNow(location)).rejects.toMatchObject({
    code: 'bad-file',
    message: expect.stringContaining('→') as unknown,
    hint: expect.stringContaining('ralph task deps rm') as unknown,
  })
  expect(await shapeOf(location)).toEqual({
    A: 'pending in nothing after ',
    B: 'pending in nothing after Mine',
    Mine: 'pending in nothing after A',
  })
})

test('what was deleted by a person is not made again, and what waited for it no longer does', async () => {
  const location = aProject()
  write(location, draft('a', { title: 'A' }), draft('b', { title: 'B' }))
  await acceptNow(location)
  const { removeTask } = await import('../../store/task/remove-task.ts')
  await inStore(location, async (sql) => removeTask(sql, await idOf(location, 'A'), { unblock: false, at: 1 }))
  write(location, draft('a', { title: 'A' }), draft('b', { title: 'B', after: ['a'] }))
  expect(await acceptNow(location)).toMatchObject({ changed: [{ key: 'b' }], stays: [], deleted: ['a'] })
  expect(await shapeOf(location)).toEqual({ B: 'pending in nothing after ' })
})

test('errors are never accepted, and nothing is made', async () => {
  const location = aProject()
  write(location, draft('a', { after: ['b'] }))
  await expect(acceptNow(location)).rejects.toMatchObject({
    code: 'bad-file',
    more: { lines: ['tasks[0].after[0]: there is no task "b". Use the key of a task in this document, or remove it.'] },
  })
  await expect(inStore(location, (sql) => findFeature(sql, 'login'))).rejects.toMatchObject({
    code: 'no-run',
  })
})

test.each<[string, (root: string) => void, object]>([
  ['no document', () => {}, { code: 'not-found', hint: 'Draft it: ralph feature create login' }],
  [
    'a link out of the project',
    (root) => symlinkSync('/etc/passwd', join(root, PATH)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is a link; Ralph does not follow links here` },
  ],
  [
    'a folder that is a link',
    (root) => {
      removeFolder(join(root, '.ralph/features/login'))
      symlinkSync('/etc', join(root, '.ralph/features/login'))
    },
    {
      code: 'bad-file',
      message: `${PATH} cannot be read: .ralph/features/login is a link`,
      hint: 'Replace it with a folder or a file of the project.',
    },
  ],
  [
    'a folder',
    (root) => ensureFolder(join(root, PATH)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is not a file` },
  ],
  [
    'ten megabytes',
    (root) => writeWithoutSync(join(root, PATH), ' '.repeat(10_000_000)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is larger than 1024 KB, the maximum` },
  ],
  ['bytes', (root) => writeWithoutSync(join(root, PATH), Buffer.from([0xff, 0xfe, 0])), { code: 'bad-file' }],
])('%s is told', async (_, make, told) => {
  const location = aProject()
  make(location.root)
  await expect(readTaskDraft(location, 'login')).rejects.toMatchObject(told)
})

test.each(['../login', 'a/b', 'v1.2', 'x'.repeat(200), '', '__proto__'])(
  'the name %j is refused before anything is looked at',
  async (name) => {
    await expect(readTaskDraft(aProject(), name)).rejects.toMatchObject({ code: 'usage' })
  },
)

test('names that differ in capitals alone are one folder on some disks: the second is refused', async () => {
  const location = aProject()
  write(location, draft('a'))
  await acceptNow(location)
  const told = {
    code: 'usage',
    message: '"Login" is too similar to login: some file systems cannot tell their folders apart',
    hint: 'Did you mean login? Otherwise choose a name that differs by more than upper and lower case.',
  }
  await expect(readTaskDraft(location, 'Login')).rejects.toMatchObject(told)
  const wish = { name: 'Login', wish: 'words', source: null, asks: false }
  await expect(prepareDraft(location, wish)).rejects.toMatchObject(told)
  expect((await listFeatureFacts(location)).map(({ name }) => name)).toEqual(['login'])
})

test('who would have drafted tasks done that nobody accepted is told to accept them', async () => {
  const location = aProject()
  write(location, draft('a'))
  await prepareDraft(location, { name: 'login', wish: 'words', source: null, asks: false })
  await expect(findScope(location.root, 'login')).rejects.toMatchObject({
    code: 'not-found',
    hint: 'Show it: ralph feature show login. Add its tasks: ralph feature accept login',
  })
  await acceptNow(location)
  expect(await findScope(location.root, 'login')).toMatchObject({ is: 'feature' })
})
