import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { documentOf, draft } from '../../../test/kit/feature.ts'
import { newTask } from '../../domain/task/task.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTask } from '../../store/task/add.ts'
import { releaseHold, takeHold } from '../../store/holder.ts'
import { claimTask } from '../../store/task/claims.ts'
import { findFeature } from '../../store/task/features.ts'
import { EVERY_TASK, listTasks } from '../../store/task/list.ts'
import { markTask } from '../../store/task/mark.ts'
import { ensureFolder, makeTempFolder, removeFolder, writeLoose } from '../../system/files/files.ts'
import { me } from '../../system/process/identity.ts'
import { withStore } from '../store-at.ts'
import type { TaskPlace } from '../task/task-store.ts'
import { accept } from './accept.ts'
import { deleteFeature } from './delete.ts'
import { readDrafted } from './drafted.ts'
import { featureHere, featuresHere } from './features.ts'
import { reopenFeature } from './reopen.ts'

const FOLDER = '.ralph/features/login'
const PROSE = `# It\n\n${'Words that say what is wanted. '.repeat(10)}\n`

function aProject(): TaskPlace {
  const root = makeTempFolder('ralph-feature-')
  onTestFinished(() => removeFolder(root))
  ensureFolder(join(root, FOLDER))
  return { root, notice: () => {} }
}

async function accepted(place: TaskPlace): Promise<Record<string, string>> {
  writeLoose(join(place.root, FOLDER, 'spec.md'), PROSE)
  writeLoose(
    join(place.root, FOLDER, 'tasks.json'),
    documentOf(
      draft('all', { title: 'All', checks: [] }),
      draft('a', { title: 'A', parent: 'all' }),
      draft('b', { title: 'B', parent: 'all', after: ['a'] }),
      draft('part', { title: 'Part', checks: [] }),
      draft('c', { title: 'C', parent: 'part', after: ['b'] }),
    ),
  )
  const { added } = await accept(place, await readDrafted(place, 'login'))
  return Object.fromEntries(added.map(({ key, task }) => [key, task]))
}

const inStore = <T>(place: TaskPlace, work: (sql: Sql) => Promise<T>): Promise<T> =>
  withStore(place.root, ({ sql }) => work(sql))
const titlesIn = (place: TaskPlace): Promise<string[]> =>
  inStore(place, async (sql) =>
    (await listTasks(sql, { ...EVERY_TASK, at: 0 }))
      .map(({ title, feature }) => `${title} ${feature ?? '-'}`)
      .toSorted(),
  )

test('what is open goes, what is done stays on its own, and the papers lie elsewhere', async () => {
  const place = aProject()
  const ids = await accepted(place)
  await inStore(place, (sql) => markTask(sql, ids['a'] ?? '', { as: 'done', why: null, by: 'human', at: 1 }))
  const would = await deleteFeature(place, 'login', { unblock: false, agreed: 'harmless' })
  expect(would).toMatchObject({
    kept: false,
    what: { name: 'login', papers: true, backup: null, released: [] },
  })
  expect(await titlesIn(place)).toHaveLength(5)
  const { backup: _, ...shown } = would.what
  const { kept, what } = await deleteFeature(place, 'login', { unblock: false, agreed: { to: shown } })
  expect(kept).toBe(true)
  expect([what.removed.length, what.stay.length]).toEqual([3, 2])
  expect(await titlesIn(place)).toEqual(['A -', 'All -'])
  expect(existsSync(join(place.root, FOLDER))).toBe(false)
  expect(readdirSync(join(place.root, what.backup ?? '')).toSorted()).toEqual(['spec.md', 'tasks.json'])
  expect(await featuresHere(place)).toEqual([])
  await expect(deleteFeature(place, 'login', { unblock: false, agreed: 'anything' })).rejects.toMatchObject({
    code: 'not-found',
    hint: 'Begin one: ralph feature create NAME "what I want"',
  })
  // A second one of the same name, in the same second perhaps.
  ensureFolder(join(place.root, FOLDER))
  const again = await deleteFeature(place, 'login', { unblock: false, agreed: 'anything' })
  expect(again.what.backup).not.toBe(what.backup)
})

test('it is refused while somebody works on one of its tasks, or others wait for one', async () => {
  const place = aProject()
  const ids = await accepted(place)
  await inStore(place, (sql) => addTask(sql, newTask('Mine', { blockers: [ids['c'] ?? ''] }), 1))
  await expect(deleteFeature(place, 'login', { unblock: false, agreed: 'anything' })).rejects.toMatchObject({
    message: 'feature login cannot be deleted: 1 other task would wait for ever',
    hint: 'Let them go without it: ralph feature delete login --unblock',
  })
  await inStore(place, (sql) =>
    claimTask(sql, { scope: { is: 'all' }, run: 'r', worker: '7', at: 1, leaseMs: 9_999_999_999_999 }),
  )
  await expect(deleteFeature(place, 'login', { unblock: true, agreed: 'anything' })).rejects.toMatchObject({
    code: 'held',
    // The run that has it would take it again at once.
    hint: expect.stringMatching(/ralph stop.*ralph task reset/) as unknown,
  })
  expect(await titlesIn(place)).toHaveLength(6)
  expect(existsSync(join(place.root, FOLDER, 'tasks.json'))).toBe(true)
  await inStore(place, async (sql) => {
    const { resetTask } = await import('../../store/task/mark.ts')
    await resetTask(sql, ids['a'] ?? '', { all: false, by: 'human', at: 2 })
  })
  const { what } = await deleteFeature(place, 'login', { unblock: true, agreed: 'anything' })
  // It was worked on: its log stays, and so does the parent it lies in.
  expect(what.archived).toContain(ids['a'])
  expect(what.released.map(({ title }) => title)).toEqual(['Mine'])
  expect(await titlesIn(place)).toEqual(['Mine -'])
})

test('reopened, it is a draft again; what is to be written anew is set aside, and its tasks stay', async () => {
  const place = aProject()
  await accepted(place)
  expect(await featureHere(place, 'login')).toMatchObject({
    stage: 'ready',
    accepted: true,
    next: 'ralph run login',
  })
  const first = await reopenFeature(place, 'login', 'plan')
  // There is no plan to set aside.
  expect(first).toMatchObject({ name: 'login', tasks: 3, done: 0 })
  expect(first.set_aside.map(({ from }) => from)).toEqual([`${FOLDER}/tasks.json`])
  expect(readFileSync(join(place.root, first.set_aside[0]?.to ?? ''), 'utf8')).toContain('"version": 1')
  writeLoose(join(place.root, FOLDER, 'tasks.json'), documentOf(draft('x')))
  const second = await reopenFeature(place, 'login', 'spec')
  expect(second.set_aside.map(({ from }) => from)).toEqual([`${FOLDER}/spec.md`, `${FOLDER}/tasks.json`])
  expect(second.set_aside[1]?.to).not.toBe(first.set_aside[0]?.to)
  expect(readdirSync(join(place.root, FOLDER))).toHaveLength(3)
  expect(await featureHere(place, 'login')).toMatchObject({
    stage: 'draft',
    tasks: 3,
    accepted: false,
    next: 'ralph feature create login',
  })
})

test('papers without a store are a feature: they came with the repository', async () => {
  const place = aProject()
  writeLoose(join(place.root, FOLDER, 'spec.md'), 'short')
  writeLoose(join(place.root, FOLDER, 'tasks.json'), documentOf(draft('a')))
  ensureFolder(join(place.root, '.ralph/features/not.one'))
  symlinkSync('/etc', join(place.root, '.ralph/features/link'))
  const link = { is: 'unread', problems: ['.ralph/features/link is a link'] }
  expect(await featuresHere(place)).toEqual([
    expect.objectContaining({
      name: 'link',
      papers: [link, link, link].map((one) => expect.objectContaining(one) as unknown),
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
      papers: [
        {
          paper: 'spec',
          path: `${FOLDER}/spec.md`,
          is: 'unfinished',
          problems: [
            'it has 5 characters, which is too few to say anything (short)',
            'it has no heading: begin its sections with lines such as "## Requirements"',
          ],
        },
        { paper: 'plan', path: `${FOLDER}/plan.md`, is: 'missing', problems: [] },
        { paper: 'tasks', path: `${FOLDER}/tasks.json`, is: 'whole', problems: [] },
      ],
      accepted: false,
      created_at: null,
      updated_at: null,
      next: 'ralph feature accept login',
    },
  ])
  expect(await reopenFeature(place, 'login', 'tasks')).toMatchObject({
    id: null,
    set_aside: [{ from: `${FOLDER}/tasks.json` }],
  })
  await expect(featureHere(place, 'logn')).rejects.toMatchObject({ hint: 'Did you mean login?' })
})

test.skipIf(process.getuid?.() === 0)(
  'a folder that nobody may look into hides no other feature',
  async () => {
    const place = aProject()
    writeLoose(join(place.root, FOLDER, 'tasks.json'), documentOf(draft('a')))
    const closed = join(place.root, '.ralph/features/closed')
    ensureFolder(closed)
    chmodSync(closed, 0)
    onTestFinished(() => chmodSync(closed, 0o700))
    expect((await featuresHere(place)).map(({ name, papers }) => [name, papers.map(({ is }) => is)])).toEqual(
      [
        ['closed', ['unread', 'unread', 'unread']],
        ['login', ['missing', 'missing', 'whole']],
      ],
    )
  },
)

test('a link in the way is told, and nothing is moved through it', async () => {
  const place = aProject()
  await accepted(place)
  const elsewhere = makeTempFolder('ralph-elsewhere-')
  onTestFinished(() => removeFolder(elsewhere))
  symlinkSync(elsewhere, join(place.root, '.ralph/features/.deleted'))
  await expect(deleteFeature(place, 'login', { unblock: true, agreed: 'anything' })).rejects.toMatchObject({
    code: 'bad-file',
    message: '.ralph/features/.deleted is a link, and papers are not kept behind one',
  })
  expect(readdirSync(elsewhere)).toEqual([])
  symlinkSync(elsewhere, join(place.root, FOLDER, 'plan.md'))
  await expect(reopenFeature(place, 'login', 'spec')).rejects.toMatchObject({
    message: `${FOLDER}/plan.md is a link, and papers are not kept behind one`,
  })
  expect(await featureHere(place, 'login')).toMatchObject({ stage: 'ready' })
  expect(existsSync(join(place.root, FOLDER, 'spec.md'))).toBe(true)
  // Nothing was deleted without its backup.
  expect(await inStore(place, (sql) => findFeature(sql, 'login'))).not.toBeNull()
})

test('papers that cannot be kept keep their feature from being deleted', async () => {
  const place = aProject()
  await accepted(place)
  writeLoose(join(place.root, '.ralph/features/.deleted'), 'mine')
  await expect(deleteFeature(place, 'login', { unblock: true, agreed: 'anything' })).rejects.toMatchObject({
    message: '.ralph/features/.deleted is no folder, and papers of deleted features are kept there',
  })
  expect(await titlesIn(place)).toHaveLength(5)
})

test.skipIf(process.getuid?.() === 0)('papers that nobody may move stay, and so does all else', async () => {
  const place = aProject()
  await accepted(place)
  const folder = join(place.root, FOLDER)
  chmodSync(folder, 0o500)
  onTestFinished(() => chmodSync(folder, 0o700))
  for (const work of [
    () => deleteFeature(place, 'login', { unblock: true, agreed: 'anything' }),
    () => reopenFeature(place, 'login', 'tasks'),
  ])
    await expect(work()).rejects.toMatchObject({
      code: 'disk',
      message: `could not write ${folder}: permission denied`,
    })
  expect(await titlesIn(place)).toHaveLength(5)
  expect(await featureHere(place, 'login')).toMatchObject({ stage: 'ready', accepted: true })
})

test('the next step is one that can be taken', async () => {
  const place = aProject()
  const ids = await accepted(place)
  const next = async (): Promise<string | null> => (await featureHere(place, 'login')).next
  const mark = (key: string, as: 'done' | 'failed'): Promise<unknown> =>
    inStore(place, (sql) => markTask(sql, ids[key] ?? '', { as, why: null, by: 'human', at: 1 }))
  expect(await next()).toBe('ralph run login')
  await inStore(place, (sql) =>
    takeHold(sql, place.root, { ...me(), command: 'ralph run login', run: null, since: 1 }),
  )
  expect(await next()).toBe('ralph status')
  await inStore(place, (sql) => releaseHold(sql, place.root, me()))
  // The others wait for it, and no run takes it.
  await mark('a', 'failed')
  expect(await next()).toBe('ralph task list --feature login --status failed')
  const mine = await inStore(place, (sql) => addTask(sql, newTask('Mine', {}), 1))
  await mark('a', 'done')
  await inStore(place, async (sql) => {
    const { addEdge } = await import('../../store/task/edges.ts')
    await sql.transaction((tx) => addEdge(tx, { blocker: mine, blocked: ids['b'] ?? '' }, 1))
  })
  expect(await next()).toBe('ralph task tree login')
})

test('while somebody drafts here, papers stay where they are', async () => {
  const place = aProject()
  await accepted(place)
  await inStore(place, async (sql) => {
    await sql.run(
      `insert into runs (id, workspace, project, command, started_at, version, pid, kind)
       values ('r', ?, 'p', 'ralph feature create other', 1, '1', 1, 'feature')`,
      place.root,
    )
    await takeHold(sql, place.root, { ...me(), command: 'ralph feature create other', run: null, since: 1 })
  })
  for (const work of [
    () => deleteFeature(place, 'login', { unblock: false, agreed: 'anything' }),
    () => reopenFeature(place, 'login', 'spec'),
  ])
    await expect(work()).rejects.toMatchObject({
      code: 'held',
      message: expect.stringContaining('"ralph feature create other"') as unknown,
      hint: 'Stop it first: ralph stop',
    })
  expect(readdirSync(join(place.root, FOLDER)).toSorted()).toEqual(['spec.md', 'tasks.json'])
})
