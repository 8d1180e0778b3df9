import { describe, expect, test } from 'vitest'
import type { RunState, Worker } from '../core/state/state.ts'
import { STATE_VERSION } from '../core/state/upgrade.ts'
import type { Reply } from '../core/agent-output/reply.ts'
import { truncateReply } from '../core/agent-output/truncate-reply.ts'
import type { Sql } from './db/sql.ts'
import { loadRunState, saveRunState } from './run-state.ts'
import { sampleState, makeTestStore } from '../../test/kit/store.ts'

const save = (sql: Sql, seq: number, state: RunState, before: RunState | null): Promise<void> =>
  saveRunState(sql, 'r1', { version: STATE_VERSION, seq, state }, { state: before, view: null })

describe('the state of a run', () => {
  test('is the last one saved, whole', async () => {
    const { sql } = await makeTestStore()
    const first = sampleState({ '1': ['é', null, 1.5], '2': [] })
    const second = { ...first, workers: { ...first.workers, '2': ['other'] as unknown as Worker } }
    await save(sql, 1, first, null)
    await save(sql, 7, second, first)
    expect(await loadRunState(sql, 'r1')).toEqual({ version: STATE_VERSION, seq: 7, state: second })
    expect(await loadRunState(sql, 'r2')).toBeNull()
  })

  test('takes what twelve workers hold whose agents have said as much as they may', async () => {
    const { sql } = await makeTestStore()
    const reply = largestReply()
    const ids = Array.from({ length: 12 }, (_, i) => String(i + 1))
    const state = sampleState(Object.fromEntries(ids.map((id) => [id, { id, phase: { is: 'measuring', reply } }])))
    await save(sql, 1, state, null)
    expect((await loadRunState(sql, 'r1'))?.state).toEqual(state)
  })

  test('may have 64 KB in a part, counted in bytes, and not one more', async () => {
    const { sql } = await makeTestStore()
    const around = Buffer.byteLength(JSON.stringify({ worker: '', open: {} }))
    const filled = (bytes: number): RunState => sampleState({ '1': 'é'.repeat((bytes - around) / 2) })
    await save(sql, 1, filled(64 * 1024 - 1), null)
    await expect(save(sql, 2, filled(64 * 1024 + 1), null)).rejects.toMatchObject({
      code: 'bug',
      message: 'the state of run r1 has 65537 bytes in its part "worker:1"; at most 65536 are allowed',
    })
  })

  test('is written as far as it changed: a row of one worker leaves the others and the rules as they lie', async () => {
    const { sql } = await makeTestStore()
    const before = sampleState({ '1': { phase: 'a' }, '2': { phase: 'a' } })
    await save(sql, 1, before, null)
    const told = watched(sql)
    const after = { ...before, workers: { ...before.workers, '2': { phase: 'b' } as unknown as Worker } }
    await save(told.sql, 2, after, before)
    expect(told.written()).toEqual(['worker:2'])
  })

  test('drops the part of a worker that is gone', async () => {
    const { sql } = await makeTestStore()
    const before = sampleState({ '1': {}, '2': {} })
    await save(sql, 1, before, null)
    const after = { ...before, workers: { '1': before.workers['1'] as Worker } }
    await save(sql, 2, after, before)
    expect((await loadRunState(sql, 'r1'))?.state).toEqual(after)
    expect(await partsIn(sql)).toEqual(['rules', 'run', 'worker:1'])
  })

  test('is written anew where another version saved it', async () => {
    const { sql } = await makeTestStore()
    const state = sampleState({ '1': { phase: 'a' } })
    await save(sql, 1, state, null)
    await sql.run('update state set version = ?', STATE_VERSION - 1)
    await sql.run(`update parts set body = '{}' where part = 'run'`)
    // As another process read it: what this one saved itself has today's shape.
    await save(sql, 2, state, structuredClone(state))
    expect(await loadRunState(sql, 'r1')).toEqual({ version: STATE_VERSION, seq: 2, state })
  })
})

async function partsIn(sql: Sql): Promise<string[]> {
  return (await sql.all<{ part: string }>('select part from parts order by part')).map(({ part }) => part)
}

/** Names the parts that are written through it. */
function watched(sql: Sql): { sql: Sql; written(): string[] } {
  const names: string[] = []
  return {
    written: () => names,
    sql: {
      ...sql,
      run(text, ...values) {
        if (text.includes('into parts')) names.push(String(values[1]))
        return sql.run(text, ...values)
      },
    },
  }
}

/** As large as the core lets a reply become. */
function largestReply(): Reply {
  const long = 'x'.repeat(2_000)
  const reply = truncateReply({
    denials: Array.from({ length: 60 }, () => ({ tool: 'Bash', command: 'y'.repeat(200) })),
    lastMessage: long,
    signals: { errors: Array.from({ length: 20 }, () => 'e'.repeat(300)), because: {} },
  } as unknown as Reply)
  const short = 16_000 - JSON.stringify(reply).length
  return { ...reply, lastMessage: `${reply.lastMessage}${'x'.repeat(Math.max(0, short))}` }
}
