import { expect, test } from 'vitest'
import { playRun } from '../../../test/kit/core.ts'
import type { Effect } from '../../core/state/effect.ts'
import type { Row } from '../../core/state/row.ts'
import { addRequest, loadRequestReceipt, markRequestAccepted } from '../../store/requests.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { writeRequestReceipts } from './request-receipts.ts'

/** A row that asks for an agent, as a run writes it. */
function asks(change: Partial<Extract<Effect, { type: 'run-agent' }>>): Row {
  const row = playRun([{}]).find(({ effects }) => effects.some(({ type }) => type === 'run-agent'))
  if (row === undefined) throw new Error('no agent was asked')
  return {
    ...row,
    effects: row.effects.map((effect) => (effect.type === 'run-agent' ? { ...effect, ...change } : effect)),
  }
}

test('steering is applied by the work prompt that carries it, and by nothing else', async () => {
  const { sql } = await makeTestStore()
  const steer = await addRequest(sql, 'k7f3qa', { from: 'cli', do: 'steer', text: 'use tabs' }, 1)
  const other = await addRequest(sql, 'k7f3qa', { from: 'cli', do: 'steer', text: 'and docs' }, 1)
  for (const id of [steer, other]) await markRequestAccepted(sql, id)
  const states = async (): Promise<unknown[]> => {
    const both = await Promise.all([steer, other].map((id) => loadRequestReceipt(sql, id)))
    return both.map((one) => [one?.state, one?.iteration])
  }
  await writeRequestReceipts(sql, asks({ role: 'review', iteration: 4 }))
  await writeRequestReceipts(sql, asks({ role: 'work', iteration: 4 }))
  expect(await states()).toEqual([
    ['accepted', null],
    ['accepted', null],
  ])
  await writeRequestReceipts(sql, asks({ role: 'work', iteration: 5, steered: [steer] }))
  expect(await states()).toEqual([
    ['applied', 5],
    ['accepted', null],
  ])
})
