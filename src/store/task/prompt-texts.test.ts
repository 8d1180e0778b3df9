import { expect, test } from 'vitest'
import { newTask } from '../../core/tasks/task.ts'
import { NO_OP_MASKER } from '../../system/mask/mask.ts'
import { claimTask, endTaskClaim } from './claims.ts'
import type { Sql } from '../db/sql.ts'
import { addNote } from '../journal.ts'
import { makeTestStore, appendEvents, runEnded, runStarted } from '../../../test/kit/store.ts'
import { beginUndo, updateUndo } from '../undos.ts'
import { addTasks } from './add-tasks.ts'
import { addFeature } from './features.ts'
import { addTaskLogEntry } from './task-log.ts'
import { loadTaskPromptTexts } from './prompt-texts.ts'

const document = (path: string) => ({ is: 'read', path, text: `text of ${path}`, whole: true }) as const

function claimNext(sql: Sql, at: number): ReturnType<typeof claimTask> {
  return sql.transaction((tx) => claimTask(tx, { scope: { is: 'all' }, run: 'r1', worker: '1', at, leaseMs: 9_000 }))
}

async function settle(
  sql: Sql,
  task: string,
  as: 'done' | 'failed',
  { why = 'so', summary = null as string | null } = {},
): Promise<void> {
  await claimNext(sql, 10)
  const said = { task, attempt: 1, as, why, retries: 0, verification: null, from: null, to: null, at: 20 }
  await sql.transaction((tx) =>
    endTaskClaim(tx, { ...said, summary: summary === null ? null : { by: 'claude', text: summary } }),
  )
}

test('a task is told with its parent, its feature and what was done before it and before its parent', async () => {
  const { sql } = await makeTestStore()
  await addFeature(sql, { id: null, name: 'login', stage: 'ready', spec: 'spec.md', plan: null }, 1)
  await addTasks(
    sql,
    [
      newTask('Sessions', { id: 'a', description: 'About cookies.' }),
      newTask('Tables', { id: 'b', description: 'About tables.' }),
      newTask('Accounts', { id: 'p', blockers: ['b'], feature: 'login' }),
      newTask('Form', { id: 'c', parent: 'p', blockers: ['a'] }),
    ],
    2,
  )
  await addTaskLogEntry(sql, { task: 'a', at: 3, author: 'ralph', kind: 'note', text: 'Verification failed: no' })
  await settle(sql, 'a', 'done', { summary: 'Cookies are signed.' })
  await settle(sql, 'b', 'done', { why: 'the gates are green' })
  await addTaskLogEntry(sql, { task: 'c', at: 30, author: 'human', kind: 'guidance', text: 'No library.' })
  const got = await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })
  expect(got.task).toMatchObject({ id: 'c', title: 'Form' })
  expect(got.parent).toMatchObject({ id: 'p', title: 'Accounts' })
  expect(got.blockers).toEqual([
    { id: 'a', title: 'Sessions', summary: 'Cookies are signed.' },
    { id: 'b', title: 'Tables', summary: 'the gates are green' },
  ])
  expect(got.feature).toEqual({ name: 'login', spec: document('spec.md'), plan: null })
  expect(got.log).toMatchObject([{ kind: 'guidance', text: 'No library.' }])
})

test('one that failed keeps why in its log, with no summary', async () => {
  const { sql } = await makeTestStore()
  await addTasks(sql, [newTask('Form', { id: 'c' })], 2)
  await settle(sql, 'c', 'failed', { why: 'the gate test is red', summary: 'I tried.' })
  const { log } = await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })
  expect(log).toMatchObject([{ kind: 'failed', author: 'ralph', text: 'the gate test is red' }])
})

test('notes are those of the moment it was claimed: of its run, and whatever matches', async () => {
  const { sql } = await makeTestStore()
  await addTasks(sql, [newTask('Mend the parser', { id: 'c' })], 2)
  const note = { iteration: 1, task: null, author: 'claude' }
  await addNote(sql, { ...note, run: 'r0', at: 1, text: 'The parser is slow.' })
  await addNote(sql, { ...note, run: 'r0', at: 2, text: 'Nothing to see.' })
  await addNote(sql, { ...note, run: 'r1', at: 3, text: 'Use pnpm.' })
  await claimNext(sql, 10)
  const before = await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })
  expect(before.notes).toEqual({
    recent: [{ task: null, author: 'claude', text: 'Use pnpm.' }],
    matching: [{ task: null, author: 'claude', text: 'The parser is slow.' }],
  })
  await addNote(sql, { ...note, run: 'r1', at: 11, text: 'The parser again.' })
  expect((await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })).notes).toEqual(before.notes)
})

test('a note about this very task comes first, whatever its words are', async () => {
  const { sql } = await makeTestStore()
  await addTasks(sql, [newTask('Mend the parser', { id: 'c' }), newTask('Other', { id: 'd' })], 2)
  const note = { run: null, iteration: null, author: 'human' }
  await addNote(sql, { ...note, task: null, at: 1, text: 'The parser is slow.' })
  await addNote(sql, { ...note, task: 'c', at: 2, text: 'Needs the new schema.' })
  await addNote(sql, { ...note, task: 'c', at: 2, text: 'Needs the new schema.' })
  await addNote(sql, { ...note, task: 'd', at: 3, text: 'Of no concern.' })
  expect((await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })).notes.matching).toEqual([
    { task: 'c', author: 'human', text: 'Needs the new schema.' },
    { task: null, author: 'human', text: 'The parser is slow.' },
  ])
})

test('a note of work that was taken back says so, until that is taken back in turn', async () => {
  const store = await makeTestStore()
  const { sql } = store
  for (const run of ['r1', 'r2']) await appendEvents(store, [runStarted(), runEnded()], run)
  await addTasks(sql, [newTask('Mend the parser', { id: 'c' })], 2)
  const note = { iteration: 1, author: 'claude' }
  await addNote(sql, { ...note, run: 'r1', task: null, at: 1, text: 'parser of the run' })
  await addNote(sql, { ...note, run: 'r2', task: 'c', at: 2, text: 'parser of the task' })
  await addNote(sql, { ...note, run: 'r2', task: 'c', at: 9, text: 'parser, done again' })
  await addNote(sql, { ...note, run: null, task: 'c', at: 1, author: 'human', text: 'parser, by a person' })
  const undone = async (): Promise<string[]> => {
    const { matching } = (await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })).notes
    return matching.flatMap((one) => (one.lost === 'undone' ? [one.text] : [])).toSorted()
  }
  const run = await beginUndo(sql, { run: 'r1', task: null, at: 5, body: null })
  await beginUndo(sql, { run: 'r2', task: 'c', at: 5, body: null })
  expect(await undone()).toEqual(['parser of the run', 'parser of the task'])
  await updateUndo(sql, run, { state: 'returned' })
  expect(await undone()).toEqual(['parser of the task'])
})

test('a note of an attempt that failed says so, and one of the next attempt does not', async () => {
  const { sql } = await makeTestStore()
  await addTasks(sql, [newTask('Mend the parser', { id: 'c' })], 2)
  const note = { run: 'r1', iteration: 1, task: 'c', author: 'claude' }
  await settle(sql, 'c', 'failed')
  await addNote(sql, { ...note, at: 15, text: 'The parser is in a.ts.' })
  await addNote(sql, { ...note, at: 25, text: 'The parser is in b.ts.' })
  expect((await loadTaskPromptTexts(sql, 'c', { document, mask: NO_OP_MASKER })).notes.matching).toEqual([
    { task: 'c', author: 'claude', text: 'The parser is in b.ts.' },
    { task: 'c', author: 'claude', text: 'The parser is in a.ts.', lost: 'failed' },
  ])
})

test('a task that is not there is said', async () => {
  const { sql } = await makeTestStore()
  await expect(loadTaskPromptTexts(sql, 'x', { document, mask: NO_OP_MASKER })).rejects.toThrow('there is no task x')
})
