import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { documentOf, draft } from '../../../test/kit/feature.ts'
import { newTask, type Task } from '../../domain/task/task.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTask } from '../../store/task/add.ts'
import { claimTask } from '../../store/task/claims.ts'
import { findFeature } from '../../store/task/features.ts'
import { EVERY_TASK, listTasks } from '../../store/task/list.ts'
import { markTask } from '../../store/task/mark.ts'
import { updateTask } from '../../store/task/update.ts'
import { ensureFolder, makeTempFolder, removeFolder, writeLoose } from '../../system/files/files.ts'
import { withStore } from '../store-at.ts'
import { findScope } from '../task/scope.ts'
import type { TaskPlace } from '../task/task-store.ts'
import { accept, type Accepted } from './accept.ts'
import { beginDraft } from './begin-draft.ts'
import { readDrafted } from './drafted.ts'
import { featuresHere } from './features.ts'

const PATH = '.ralph/features/login/tasks.json'

function aProject(): TaskPlace {
  const root = makeTempFolder('ralph-feature-')
  onTestFinished(() => removeFolder(root))
  ensureFolder(join(root, '.ralph/features/login'))
  return { root, notice: () => {} }
}

function write(place: TaskPlace, ...tasks: object[]): void {
  writeLoose(join(place.root, PATH), documentOf(...tasks))
}

async function acceptNow(place: TaskPlace): Promise<Accepted> {
  return accept(place, await readDrafted(place, 'login'))
}

const inStore = <T>(place: TaskPlace, work: (sql: Sql) => Promise<T>): Promise<T> =>
  withStore(place.root, ({ sql }) => work(sql))

/** By title, with whom they wait for. */
async function tasksIn(place: TaskPlace): Promise<Record<string, Partial<Task> & { after: string[] }>> {
  return inStore(place, async (sql) => {
    const tasks = await listTasks(sql, { ...EVERY_TASK, at: 0 })
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

const shapeOf = async (place: TaskPlace): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await tasksIn(place)).map(([title, { parent, after, status }]) => [
      title,
      `${status ?? ''} in ${parent ?? 'nothing'} after ${after.join(', ')}`,
    ]),
  )

const idOf = async (place: TaskPlace, title: string): Promise<string> =>
  (await tasksIn(place))[title]?.id ?? ''

test('a document becomes the tasks of its feature, all at once; a second time adds nothing', async () => {
  const place = aProject()
  writeLoose(join(place.root, '.ralph/features/login/spec.md'), '# Spec\n')
  write(
    place,
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
  const first = await acceptNow(place)
  expect(first).toMatchObject({ feature: { name: 'login' }, changed: [], gone: [], stays: [] })
  expect(first.added.map(({ key }) => key)).toEqual(['all', 'form', 'session'])
  expect(await tasksIn(place)).toMatchObject({
    'Log in': { parent: null, children: 2, feature: first.feature.id, after: [] },
    'A form': {
      parent: 'Log in',
      description: 'Words.\n\nFiles: src/form.ts',
      checks: ['npm test'],
      tests: ['test/form.ts'],
    },
    'A session': { parent: 'Log in', after: ['A form'], priority: 2, waits: 1 },
  })
  const feature = await inStore(place, (sql) => findFeature(sql, 'login'))
  expect(feature).toMatchObject({
    stage: 'ready',
    spec: '.ralph/features/login/spec.md',
    plan: null,
    tasks: 2,
  })
  const again = await acceptNow(place)
  expect(again).toMatchObject({ added: [], changed: [], gone: [], stays: [], changes: [] })
  expect(Object.keys(await tasksIn(place))).toHaveLength(3)
  // What a person changed since is theirs: the document says what it said.
  await inStore(place, async (sql) =>
    updateTask(sql, await idOf(place, 'A form'), { title: 'A better form' }, 1),
  )
  expect(await acceptNow(place)).toMatchObject({ changed: [] })
})

test('a later document: new ones come, open ones change, those it has no longer go, what is done stays', async () => {
  const place = aProject()
  write(
    place,
    draft('all', { title: 'All', checks: [] }),
    draft('done', { title: 'Done', parent: 'all' }),
    draft('a', { title: 'A', parent: 'all', after: ['done'] }),
    draft('b', { title: 'B', parent: 'all', after: ['a'] }),
    draft('old', { title: 'Old', after: ['b'] }),
  )
  await acceptNow(place)
  await inStore(place, async (sql) => {
    await markTask(sql, await idOf(place, 'Done'), { as: 'done', why: null, by: 'human', at: 1 })
    await markTask(sql, await idOf(place, 'B'), { as: 'failed', why: 'x', by: 'human', at: 1 })
    await addTask(sql, newTask('Mine', { blockers: [await idOf(place, 'Old')] }), 1)
  })
  // The order of A and B is turned round, and B hangs on a new one.
  write(
    place,
    draft('new', { title: 'New', checks: [], after: ['done'] }),
    draft('done', { title: 'Done otherwise' }),
    draft('b', { title: 'B', parent: 'new' }),
    draft('a', { title: 'A', after: ['b', 'late'] }),
    draft('late', { title: 'Late' }),
  )
  expect((await readDrafted(place, 'login')).waiting).toMatchObject([{ title: 'Mine' }])
  const second = await acceptNow(place)
  expect(second.added.map(({ key }) => key)).toEqual(['new', 'late'])
  expect(second.changed.map(({ key }) => key)).toEqual(['b', 'a'])
  // Its child is done and stays, so it stays too.
  expect(second.gone.map(({ key }) => key)).toEqual(['old'])
  expect(second.stays.map(({ key }) => key)).toEqual(['done', 'all'])
  expect(second.released.map(({ title }) => title)).toEqual(['Mine'])
  expect(await shapeOf(place)).toEqual({
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
  const place = aProject()
  write(
    place,
    draft('a', { title: 'A' }),
    draft('b', { title: 'B', after: ['a'] }),
    draft('c', { title: 'C' }),
  )
  await acceptNow(place)
  await inStore(place, async (sql) =>
    markTask(sql, await idOf(place, 'C'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(place, draft('c', { title: 'C otherwise' }), draft('d', { title: 'D' }))
  expect(await acceptNow(place)).toMatchObject({
    gone: [{ key: 'a' }, { key: 'b' }],
    released: [],
    stays: [{ key: 'c', title: 'C' }],
  })
})

test('a group stays with what is done below it, as it was shown; what the document moves away does not hold it', async () => {
  const place = aProject()
  const group = (key: string, below: string): object[] => [
    draft(key, { title: key, checks: [] }),
    draft(below, { title: below, parent: key }),
  ]
  write(place, ...group('g', 'a'), draft('b', { title: 'b', parent: 'g' }), ...group('h', 'c'))
  await acceptNow(place)
  await inStore(place, async (sql) =>
    markTask(sql, await idOf(place, 'a'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(place, draft('c', { title: 'c' }))
  const { revision } = await readDrafted(place, 'login')
  expect([revision.gone, revision.stays].map((some) => some.map(({ key }) => key).toSorted())).toEqual([
    ['b', 'h'],
    ['a', 'g'],
  ])
  const { gone, stays, changes } = await acceptNow(place)
  expect({ gone, stays, changes }).toEqual({ gone: revision.gone, stays: revision.stays, changes: [] })
  expect(Object.keys(await tasksIn(place)).toSorted()).toEqual(['a', 'c', 'g'])
})

test('a task that is only called otherwise is the one it was: nothing is done twice', async () => {
  const place = aProject()
  const parts = (key: string, form: string): object[] => [
    draft(key, { title: 'Sign in', checks: [] }),
    draft(form, { title: 'A form', parent: key }),
    draft('session', { title: 'A session', parent: key, after: [form] }),
  ]
  write(place, ...parts('all', 'form'), draft('twin', { title: 'Two' }), draft('twin-2', { title: 'Two' }))
  await acceptNow(place)
  const form = await idOf(place, 'A form')
  await inStore(place, (sql) => markTask(sql, form, { as: 'done', why: null, by: 'human', at: 1 }))
  const before = await shapeOf(place)
  write(
    place,
    ...parts('sign-in', 'the-form'),
    draft('twin', { title: 'Two' }),
    draft('twin-2', { title: 'Two' }),
  )
  expect(await acceptNow(place)).toMatchObject({ added: [], changed: [], gone: [], stays: [] })
  expect(await shapeOf(place)).toEqual(before)
  expect(await idOf(place, 'A form')).toBe(form)
  // From now on it has that key; two that say the same cannot be told apart, and are what their keys say.
  write(
    place,
    ...parts('sign-in', 'the-form'),
    draft('one', { title: 'Two' }),
    draft('other', { title: 'Two' }),
  )
  const { added, gone, stays } = await acceptNow(place)
  expect([added, gone, stays].map((some) => some.map(({ key }) => key))).toEqual([
    ['one', 'other'],
    ['twin', 'twin-2'],
    [],
  ])
})

test('what a person wrote into a task stays where the document says what it said', async () => {
  const place = aProject()
  write(place, draft('a', { title: 'A', checks: ['npm test'], files: ['a.ts'], criteria: ['It is blue'] }))
  await acceptNow(place)
  const own = { title: 'Mine', checks: ['npm test', 'npm run lint'] }
  await inStore(place, async (sql) => updateTask(sql, await idOf(place, 'A'), own, 1))
  write(place, draft('a', { title: 'A', checks: ['npm test'], files: ['b.ts'], criteria: [], priority: 3 }))
  expect(await acceptNow(place)).toMatchObject({ changed: [{ key: 'a' }] })
  expect(Object.values(await tasksIn(place))).toMatchObject([
    { ...own, description: 'Files: b.ts', criteria: [], priority: 3 },
  ])
})

test('what was done by hand before its time can come first in a later document', async () => {
  const place = aProject()
  write(place, draft('a', { title: 'A' }), draft('b', { title: 'B', after: ['a'] }))
  await acceptNow(place)
  await inStore(place, async (sql) =>
    markTask(sql, await idOf(place, 'B'), { as: 'done', why: null, by: 'human', at: 1 }),
  )
  write(place, draft('b', { title: 'B' }), draft('a', { title: 'A', after: ['b'] }))
  expect(await acceptNow(place)).toMatchObject({ changed: [{ key: 'a' }], stays: [{ key: 'b' }] })
  expect(await shapeOf(place)).toEqual({ A: 'pending in nothing after B', B: 'done in nothing after ' })
})

test('what was shown is accepted, and nothing else', async () => {
  const place = aProject()
  write(place, draft('a'))
  const shown = await readDrafted(place, 'login')
  write(place, draft('a'), draft('b'))
  await expect(accept(place, shown)).rejects.toMatchObject({
    code: 'changed-meanwhile',
    hint: 'Look at it again: ralph feature accept login',
  })
  // Somebody else was quicker with the very same.
  const both = await readDrafted(place, 'login')
  await acceptNow(place)
  await expect(accept(place, both)).rejects.toMatchObject({ code: 'changed-meanwhile' })
  expect(Object.keys(await tasksIn(place))).toHaveLength(2)
})

test('a task that somebody works on is not changed under their hands', async () => {
  const place = aProject()
  write(place, draft('a'), draft('b'))
  await acceptNow(place)
  await inStore(place, (sql) =>
    claimTask(sql, {
      scope: { is: 'all' },
      run: 'r',
      worker: '7',
      at: 1,
      leaseMs: 9_999_999_999_999,
    }),
  )
  write(place, draft('b'))
  await expect(acceptNow(place)).rejects.toMatchObject({
    code: 'held',
    message: expect.stringContaining('is being worked on by r/7') as unknown,
  })
  expect(Object.keys(await tasksIn(place))).toHaveLength(2)
  write(place, draft('a'), draft('b'), draft('c'))
  expect((await acceptNow(place)).added).toHaveLength(1)
})

test('a cycle with tasks of others is refused, and nothing is changed', async () => {
  const place = aProject()
  write(place, draft('a', { title: 'A' }), draft('b', { title: 'B' }))
  await acceptNow(place)
  await inStore(place, async (sql) => {
    const mine = await addTask(sql, newTask('Mine', { blockers: [await idOf(place, 'A')] }), 1)
    await sql.transaction(async (tx) => {
      const { addEdge } = await import('../../store/task/edges.ts')
      await addEdge(tx, { blocker: mine, blocked: await idOf(place, 'B') }, 1)
    })
  })
  write(
    place,
    draft('a', { title: 'A', after: ['b'] }),
    draft('b', { title: 'B' }),
    draft('c', { title: 'C' }),
  )
  await expect(acceptNow(place)).rejects.toMatchObject({
    code: 'bad-file',
    message: expect.stringContaining('→') as unknown,
    hint: expect.stringContaining('ralph task deps rm') as unknown,
  })
  expect(await shapeOf(place)).toEqual({
    A: 'pending in nothing after ',
    B: 'pending in nothing after Mine',
    Mine: 'pending in nothing after A',
  })
})

test('what was deleted by a person is not made again, and what waited for it no longer does', async () => {
  const place = aProject()
  write(place, draft('a', { title: 'A' }), draft('b', { title: 'B' }))
  await acceptNow(place)
  const { removeTask } = await import('../../store/task/remove.ts')
  await inStore(place, async (sql) => removeTask(sql, await idOf(place, 'A'), { unblock: false, at: 1 }))
  write(place, draft('a', { title: 'A' }), draft('b', { title: 'B', after: ['a'] }))
  expect(await acceptNow(place)).toMatchObject({ changed: [{ key: 'b' }], stays: [], deleted: ['a'] })
  expect(await shapeOf(place)).toEqual({ B: 'pending in nothing after ' })
})

test('errors are never accepted, and nothing is made', async () => {
  const place = aProject()
  write(place, draft('a', { after: ['b'] }))
  await expect(acceptNow(place)).rejects.toMatchObject({
    code: 'bad-file',
    more: { lines: ['tasks[0].after[0]: there is no task "b". Name a task of this document, or none.'] },
  })
  await expect(inStore(place, (sql) => findFeature(sql, 'login'))).rejects.toMatchObject({ code: 'no-run' })
})

test.each<[string, (root: string) => void, object]>([
  ['no document', () => {}, { code: 'not-found', hint: 'Have it drafted: ralph feature create login' }],
  [
    'a link out of the project',
    (root) => symlinkSync('/etc/passwd', join(root, PATH)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is a link, and links are not followed here` },
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
      hint: 'Put a folder or a file of the project in its place.',
    },
  ],
  [
    'a folder',
    (root) => ensureFolder(join(root, PATH)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is no file` },
  ],
  [
    'ten megabytes',
    (root) => writeLoose(join(root, PATH), ' '.repeat(10_000_000)),
    { code: 'bad-file', message: `${PATH} cannot be read: it is larger than 1024 KB, the most that is read` },
  ],
  ['bytes', (root) => writeLoose(join(root, PATH), Buffer.from([0xff, 0xfe, 0])), { code: 'bad-file' }],
])('%s is told', async (_, make, told) => {
  const place = aProject()
  make(place.root)
  await expect(readDrafted(place, 'login')).rejects.toMatchObject(told)
})

test.each(['../login', 'a/b', 'v1.2', 'x'.repeat(200), '', '__proto__'])(
  'the name %j is refused before anything is looked at',
  async (name) => {
    await expect(readDrafted(aProject(), name)).rejects.toMatchObject({ code: 'usage' })
  },
)

test('names that differ in capitals alone are one folder on some disks: the second is refused', async () => {
  const place = aProject()
  write(place, draft('a'))
  await acceptNow(place)
  const told = {
    code: 'usage',
    message: '"Login" cannot be a feature beside login: not every disk tells their folders apart',
    hint: 'Did you mean login? Otherwise choose a name that differs in more than capitals.',
  }
  await expect(readDrafted(place, 'Login')).rejects.toMatchObject(told)
  const wish = { name: 'Login', wish: 'words', source: null, asks: false }
  await expect(beginDraft(place, wish)).rejects.toMatchObject(told)
  expect((await featuresHere(place)).map(({ name }) => name)).toEqual(['login'])
})

test('who would have drafted tasks done that nobody accepted is told to accept them', async () => {
  const place = aProject()
  write(place, draft('a'))
  await beginDraft(place, { name: 'login', wish: 'words', source: null, asks: false })
  await expect(findScope(place.root, 'login')).rejects.toMatchObject({
    code: 'not-found',
    hint: 'Look at them: ralph feature show login. Add its tasks: ralph feature accept login',
  })
  await acceptNow(place)
  expect(await findScope(place.root, 'login')).toMatchObject({ is: 'feature' })
})
