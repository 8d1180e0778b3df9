import { expect, test } from 'vitest'
import { STATE_VERSION } from '../core/state/upgrade.ts'
import { loadInheritedState } from './inherited-state.ts'
import { addBashUsage } from './usage.ts'
import { saveRunState } from './run-state.ts'
import { addReset, listResets } from './resets.ts'
import { sampleState, makeTestStore, appendEvents, runEnded, runStarted } from '../../test/kit/store.ts'
import { saveBashTransitions, loadBashTransitions, loadTransitionRows } from './transitions.ts'
import { usageSince } from './usage.ts'
import type { Store } from './db/open-store.ts'

const HERE = '/home/ann/shop'
const BREAKER = {
  is: 'open',
  counts: { idle: 3, failed: 0, denied: 0, declined: 0 },
  opens: 1,
  changedAt: 5,
  openedAt: 5,
  why: 'no-progress',
  reason: 'idle',
}
const CONVERSATION = { agent: 'claude', id: 'c1', usedAt: 5, usage: null }

async function aRun(store: Store, run: string): Promise<void> {
  await appendEvents(store, [runStarted(), runEnded()], run)
  const state = sampleState(
    { '1': { breaker: BREAKER, conversation: CONVERSATION } },
    { cooldowns: { claude: { is: 'usage-limit', until: 99, tries: 1 } } },
  )
  await saveRunState(store.sql, run, { version: STATE_VERSION, seq: 2, state }, null)
}

test('a new run inherits the breaker, the conversation and the limits of the last', async () => {
  const store = await makeTestStore()
  await aRun(store, 'r1')
  expect(await loadInheritedState(store.sql, HERE)).toEqual({
    breaker: BREAKER,
    conversation: CONVERSATION,
    limited: { claude: 99 },
  })
})

test('what was reset by hand is not inherited, by the next run only', async () => {
  const store = await makeTestStore()
  await aRun(store, 'r1')
  // Long before the run, by the clock: a clock that was set back must not undo a reset.
  await addReset(store.sql, HERE, 'breaker', { at: 1, reason: 'by hand' })
  expect(await loadInheritedState(store.sql, HERE)).toEqual({
    breaker: null,
    conversation: CONVERSATION,
    limited: { claude: 99 },
  })
  await addReset(store.sql, HERE, 'conversation', { at: 2, reason: 'by hand' })
  expect(await loadInheritedState(store.sql, HERE)).toEqual({
    breaker: null,
    conversation: null,
    limited: { claude: 99 },
  })
  await aRun(store, 'r2')
  expect(await loadInheritedState(store.sql, HERE)).toMatchObject({ breaker: BREAKER, conversation: CONVERSATION })
})

test('a reset belongs to one working tree', async () => {
  const store = await makeTestStore()
  await aRun(store, 'r1')
  await addReset(store.sql, '/elsewhere', 'breaker', { at: 1, reason: 'by hand' })
  expect(await loadInheritedState(store.sql, HERE)).toMatchObject({ breaker: BREAKER })
})

test('resets are remembered, the last fifty of them', async () => {
  const store = await makeTestStore()
  for (let at = 1; at <= 52; at += 1) await addReset(store.sql, HERE, 'breaker', { at, reason: 'again' })
  const resets = await listResets(store.sql, HERE, 'breaker')
  expect([resets.length, resets[0], resets.at(-1)]).toEqual([
    50,
    { at: 3, reason: 'again', after: null },
    { at: 52, reason: 'again', after: null },
  ])
})

test('imported calls count once, however often the first start is tried', async () => {
  const store = await makeTestStore()
  await addBashUsage(store.sql, { calls: 12, tokens: 300 }, 5_000)
  await addBashUsage(store.sql, { calls: 12, tokens: 300 }, 6_000)
  expect([await usageSince(store.sql, 5_000), await usageSince(store.sql, 5_001)]).toEqual([
    { calls: 12, tokens: 300 },
    { calls: 0, tokens: 0 },
  ])
})

test('the rows that tell a history come oldest first, without the run that goes on', async () => {
  const store = await makeTestStore()
  await appendEvents(store, [runStarted(), { type: 'clock-jumped', by: 1 }, runEnded()], 'r1')
  await appendEvents(store, [runStarted(), runEnded()], 'r2')
  const all = await loadTransitionRows(store.sql, HERE, { runs: 10 })
  const before = await loadTransitionRows(store.sql, HERE, { runs: 10, before: 'r2' })
  const told = (rows: typeof all): string[] => rows.map(({ run, event }) => `${run} ${event.type}`)
  expect([told(all), told(before)]).toEqual([
    ['r1 run-started', 'r1 run-ended', 'r2 run-started', 'r2 run-ended'],
    ['r1 run-started', 'r1 run-ended'],
  ])
})

test("an earlier tool's turns are kept as they were", async () => {
  const store = await makeTestStore()
  const turns = {
    breaker: [{ at: 1, loop: 2, from: 'closed', to: 'open', reason: 'idle' }],
    conversation: [],
  }
  expect(await loadBashTransitions(store.sql, HERE)).toEqual({ breaker: [], conversation: [] })
  await saveBashTransitions(store.sql, HERE, turns)
  expect(await loadBashTransitions(store.sql, HERE)).toEqual(turns)
})

test('what is kept for a working tree and is no JSON any more is damage, and says whose', async () => {
  const { sql } = await makeTestStore()
  await sql.run(`insert into meta (key, value) values ('reset:breaker:${HERE}', '[{"at":')`)
  await expect(listResets(sql, HERE, 'breaker')).rejects.toMatchObject({
    code: 'store-damaged',
    message: `saved data for ${HERE} is damaged`,
  })
})
