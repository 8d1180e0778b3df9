import { expect, test } from 'vitest'
import { countStats, statsCsv, type Facts, type IterationFact } from './stats.ts'

function made(given: Partial<IterationFact>): IterationFact {
  return {
    run: 'r1',
    at: 1,
    agent: 'claude',
    model: 'opus-4',
    task: 'a',
    ok: true,
    durationMs: 1_000,
    tokens: 10,
    usd: 0.5,
    estimated: false,
    ...given,
  }
}

const FACTS: Facts = {
  runs: [
    { run: 'r1', startedAt: 1, verdict: 'proven' },
    { run: 'r2', startedAt: 2, verdict: null },
    { run: 'r3', startedAt: 3, verdict: 'failed' },
  ],
  iterations: [
    made({}),
    made({ ok: false, agent: 'codex', model: null, tokens: null, usd: null }),
    made({ run: 'r2', at: 2, task: null, estimated: true }),
  ],
}
const day = (at: number): string => `day ${at}`

const EMPTY = {
  runs: 0,
  proven: 0,
  iterations: 0,
  succeeded: 0,
  durationMs: 0,
  tokens: 0,
  usd: 0,
  unknown: 0,
  estimated: 0,
}

test('by run: also the run that made no iteration', () => {
  expect(countStats(FACTS, 'run', day)).toEqual({
    by: 'run',
    rows: [
      {
        key: 'r1',
        runs: 1,
        proven: 1,
        iterations: 2,
        succeeded: 1,
        durationMs: 2_000,
        tokens: 10,
        usd: 0.5,
        unknown: 1,
        estimated: 0,
      },
      {
        key: 'r2',
        runs: 1,
        proven: 0,
        iterations: 1,
        succeeded: 1,
        durationMs: 1_000,
        tokens: 10,
        usd: 0.5,
        unknown: 0,
        estimated: 1,
      },
      { ...EMPTY, key: 'r3', runs: 1 },
    ],
    total: {
      key: 'total',
      runs: 3,
      proven: 1,
      iterations: 3,
      succeeded: 2,
      durationMs: 3_000,
      tokens: 20,
      usd: 1,
      unknown: 1,
      estimated: 1,
    },
  })
})

test.each([
  ['day', ['day 1', 'day 2']],
  ['agent', ['claude', 'codex']],
  ['model', ['opus-4', '(not told)']],
  ['task', ['a', '(no task)']],
] as const)('by %s', (by, keys) => {
  expect(countStats(FACTS, by, day).rows.map(({ key }) => key)).toEqual(keys)
})

test('as CSV: quotes are doubled and no name is a formula', () => {
  const facts = { runs: [], iterations: [made({ task: '=SUM("a"),b' })] }
  expect(statsCsv(countStats(facts, 'task', day))).toBe(
    'task,runs,proven,iterations,succeeded,durationMs,tokens,usd,unknown,estimated\r\n"\'=SUM(""a""),b",1,0,1,1,1000,10,0.5,0,0\r\n',
  )
})
