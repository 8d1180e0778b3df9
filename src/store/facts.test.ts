import { expect, test } from 'vitest'
import type { Event } from '../domain/run/event.ts'
import { aNight } from '../domain/test-kit.ts'
import { statsFacts } from './facts.ts'
import { appendRow } from './record.ts'
import { aStore } from './test-kit.ts'

test('one fact per run, and the sums of its iterations by the box that was next when it began', async () => {
  const { sql } = await aStore()
  const rows = aNight([
    { boxes: { open: 1, done: 1 }, nextBox: 'second box' },
    { done: true, boxes: { open: 0, done: 2 }, green: true, usage: { output: 5 } },
  ])
  await sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
  })
  const { runs, sums } = await statsFacts(sql, 'task')
  expect(runs).toEqual([{ run: 'k7f3qa', startedAt: rows[0]?.at, verdict: 'proven' }])
  expect(sums).toEqual([
    {
      run: 'k7f3qa',
      at: rows.find(({ event }) => event.type === 'admitted')?.at,
      shared: 'second box',
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
    expect((await statsFacts(sql, by)).sums.map((sum) => sum.shared)).toEqual([shared])
})

test('an answer to nothing that was asked is no iteration', async () => {
  const { sql } = await aStore()
  const [first, ...rest] = aNight([{ done: true, boxes: { open: 0, done: 1 }, green: true }])
  const ended = rest.find(({ event }) => event.type === 'agent-ended')
  if (first === undefined || ended === undefined) throw new Error('no such rows')
  const stray = { ...ended, seq: 900, event: { ...ended.event, effect: 'e900' } as Event }
  await sql.transaction(async (tx) => {
    for (const row of [first, ...rest, stray]) await appendRow(tx, row)
  })
  expect((await statsFacts(sql, 'run')).sums).toMatchObject([{ iterations: 1 }])
})

test('an empty store has none', async () => {
  const { sql } = await aStore()
  expect(await statsFacts(sql, 'run')).toEqual({ runs: [], sums: [] })
})
