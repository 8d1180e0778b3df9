import { describe, expect, test } from 'vitest'
import {
  addRequest,
  answerRequest,
  loadRequestsAfter,
  loadRequestReceipt,
  markRequestAccepted,
  type NewRequest,
} from './requests.ts'
import { makeTestStore } from '../../test/kit/store.ts'

const EACH: NewRequest[] = [
  { from: 'cli', do: 'stop', now: true },
  { from: 'cli', do: 'pause' },
  { from: 'cli', do: 'resume' },
  { from: 'cli', do: 'pause', to: { worker: '2' } },
  { from: 'cli', do: 'steer', text: 'use tabs', to: { task: 'k7' } },
  { from: 'web', do: 'steer', text: 'look at "the" log\n' },
  { from: 'cli', do: 'set', key: 'budget.usd', value: '5' },
  { from: 'cli', do: 'abandon' },
]

test('every kind of request arrives as it was made, in order, with its number', async () => {
  const { sql } = await makeTestStore()
  for (const request of EACH) await addRequest(sql, 'r1', request, 1)
  await addRequest(sql, 'r2', { from: 'cli', do: 'pause' }, 1)
  const arrived = EACH.map((request, i) => ({ id: i + 1, ...request }))
  expect(await loadRequestsAfter(sql, 'r1', 0)).toEqual(arrived)
  expect(await loadRequestsAfter(sql, 'r1', 4)).toEqual(arrived.slice(4))
})

test('a request is taken once', async () => {
  const { sql } = await makeTestStore()
  const id = await addRequest(sql, 'r1', { from: 'cli', do: 'pause' }, 1)
  const taken = [await markRequestAccepted(sql, id), await markRequestAccepted(sql, id)]
  expect([taken, await loadRequestsAfter(sql, 'r1', 0), await loadRequestReceipt(sql, id)]).toEqual([
    [true, false],
    [],
    { state: 'accepted', note: null, iteration: null },
  ])
})

test('a request keeps its first answer', async () => {
  const { sql } = await makeTestStore()
  const id = await addRequest(sql, 'r1', { from: 'cli', do: 'pause' }, 1)
  await markRequestAccepted(sql, id)
  await answerRequest(sql, id, 'refused', 'nothing runs', null)
  await answerRequest(sql, id, 'applied', null, 3)
  expect(await loadRequestReceipt(sql, id)).toEqual({
    state: 'refused',
    note: 'nothing runs',
    iteration: null,
  })
  expect(await loadRequestReceipt(sql, id + 1)).toBeNull()
})

describe('what this version cannot read is left waiting', () => {
  test.each([
    '',
    'null',
    '[]',
    '{"do":"dance"}',
    '{"do":"steer"}',
    '{"do":"stop","to":"all"}',
    '{"do":"stop","to":{"worker":1}}',
    '{"do":"set","key":1,"value":"x"}',
    '{',
  ])('%s', async (body) => {
    const { sql } = await makeTestStore()
    await sql.run(`insert into requests (run, at, from_who, body, state) values ('r1', 1, 'cli', ?, 'waiting')`, body)
    const id = await addRequest(sql, 'r1', { from: 'cli', do: 'pause' }, 1)
    expect(await loadRequestsAfter(sql, 'r1', 0)).toEqual([{ id, from: 'cli', do: 'pause' }])
  })
})
