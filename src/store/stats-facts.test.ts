import { expect, test } from 'vitest'
import type { Event } from '../core/state/event.ts'
import { playRun } from '../../test/kit/core.ts'
import { loadStatsFacts } from './stats-facts.ts'
import { appendRow } from './record.ts'
import { deleteRun } from './runs.ts'
import { appendEvents, makeTestStore, runStarted } from '../../test/kit/store.ts'
import { insertCall, IMPORT_RUN_ID, finishCall, usageSince } from './usage.ts'

test('one fact per run, and the sums of its iterations by the box that was next when it began', async () => {
  const { sql } = await makeTestStore()
  const rows = playRun([
    { checkboxes: { open: 1, done: 1 }, nextCheckbox: 'second box' },
    { done: true, checkboxes: { open: 0, done: 2 }, green: true, usage: { output: 5 } },
  ])
  await sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
  })
  const { runs, sums } = await loadStatsFacts(sql, 'task')
  expect(runs).toEqual([{ run: 'k7f3qa', startedAt: rows[0]?.at, verdict: 'proven' }])
  expect(sums).toEqual([
    {
      run: 'k7f3qa',
      at: rows.find(({ event }) => event.type === 'admitted')?.at,
      shared: 'second box',
      title: null,
      iterations: 2,
      succeeded: 2,
      durationMs: 120_000,
      tokens: 1005,
      usd: 0.5,
      unknown: 1,
      estimated: 0,
    },
  ])
  for (const [by, shared] of [
    ['run', 'k7f3qa'],
    ['agent', 'claude'],
    ['model', 'opus-4'],
  ] as const)
    expect((await loadStatsFacts(sql, by)).sums.map((sum) => sum.shared)).toEqual([shared])
})

test('an answer to nothing that was asked is no iteration', async () => {
  const { sql } = await makeTestStore()
  const [first, ...rest] = playRun([{ done: true, checkboxes: { open: 0, done: 1 }, green: true }])
  const ended = rest.find(({ event }) => event.type === 'agent-ended')
  if (first === undefined || ended === undefined) throw new Error('no such rows')
  const stray = { ...ended, seq: 900, event: { ...ended.event, effect: 'e900' } as Event }
  await sql.transaction(async (tx) => {
    for (const row of [first, ...rest, stray]) await appendRow(tx, row)
  })
  expect((await loadStatsFacts(sql, 'run')).sums).toMatchObject([{ iterations: 1 }])
})

test('what imports used stands before the runs; they are no iterations, and one under way is not told', async () => {
  const store = await makeTestStore()
  const { sql } = store
  const rows = playRun([{ done: true, checkboxes: { open: 0, done: 1 }, green: true }])
  const reply = rows.map(({ event }) => event).find((event) => event.type === 'agent-ended')?.reply
  if (reply === undefined) throw new Error('no such row')
  await appendEvents(store, [runStarted({ import: true })], 'v2')
  const call = { run: 'v2', worker: '1', iteration: 1, agent: 'codex', at: 5, seq: 1, task: null }
  await sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
    for (const effect of ['a', 'b']) await insertCall(tx, { ...call, effect, role: 'import' })
    await finishCall(tx, { run: 'v2', effect: 'a' }, { ...reply, usage: { input: 7, usd: 0.1 } })
  })
  const told = async (): Promise<void> => {
    expect((await loadStatsFacts(sql, 'agent')).sums).toMatchObject([
      { run: IMPORT_RUN_ID, shared: 'codex', iterations: 0, succeeded: 0, tokens: 7, usd: 0.1, unknown: 0 },
      { run: 'k7f3qa', shared: 'claude', iterations: 1, succeeded: 1 },
    ])
    expect(await usageSince(sql, 0)).toMatchObject({ calls: 3 })
  }
  await told()
  // It was paid for, also when the run of the import is forgotten.
  await sql.transaction((tx) => deleteRun(tx, 'v2'))
  await told()
})

test('a second opinion is no iteration, and its cost is a cost of the run and of its task', async () => {
  const { sql } = await makeTestStore()
  const rows = playRun([{ done: true, checkboxes: { open: 0, done: 1 }, green: true, usage: { usd: 0.5 } }])
  const reply = rows.map(({ event }) => event).find((event) => event.type === 'agent-ended')?.reply
  if (reply === undefined) throw new Error('no such row')
  const call = { run: 'k7f3qa', worker: '1', iteration: 1, agent: 'codex', at: 5, seq: 1, task: null }
  await sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
    await insertCall(tx, { ...call, effect: 'o1', role: 'review' })
    await finishCall(tx, { run: 'k7f3qa', effect: 'o1' }, { ...reply, usage: { input: 7, usd: 0.25 } })
  })
  expect((await loadStatsFacts(sql, 'run')).sums).toMatchObject([{ iterations: 1, succeeded: 1, usd: 0.75 }])
})

test('an empty store has none', async () => {
  const { sql } = await makeTestStore()
  expect(await loadStatsFacts(sql, 'run')).toEqual({ runs: [], sums: [] })
})
