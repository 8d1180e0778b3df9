import { expect, test } from 'vitest'
import { buildStats, statsCsv, type StatsFacts, type IterationTotals } from './stats.ts'

function made(given: Partial<IterationTotals>): IterationTotals {
  return {
    run: 'r1',
    at: 1,
    shared: null,
    iterations: 1,
    succeeded: 1,
    durationMs: 1_000,
    tokens: 10,
    usd: 0.5,
    unknown: 0,
    estimated: 0,
    ...given,
  }
}

const RUNS: StatsFacts['runs'] = [
  { run: 'r1', startedAt: 1, verdict: 'proven' },
  { run: 'r2', startedAt: 2, verdict: null },
  { run: 'r3', startedAt: 3, verdict: 'failed' },
]
const FACTS: StatsFacts = {
  runs: RUNS,
  sums: [
    made({ iterations: 2, durationMs: 2_000, unknown: 1, succeeded: 1 }),
    made({ run: 'r2', at: 2, estimated: 1 }),
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

test('by feature: how often its tasks were done or failed, whatever became of the run', () => {
  const sums = [made({ shared: 'money' }), made({ shared: null })]
  const settled = [
    { shared: 'money', done: 2, failed: 1 },
    { shared: null, done: 0, failed: 1 },
  ]
  const { rows, total } = buildStats({ runs: RUNS, sums, settled }, 'feature', day)
  expect([...rows, total].map((row) => [row.key, row.settled])).toEqual([
    ['money', { done: 2, failed: 1 }],
    ['(no feature)', { done: 0, failed: 1 }],
    ['total', { done: 2, failed: 2 }],
  ])
})

test('by run: also the run that made no iteration', () => {
  expect(buildStats(FACTS, 'run', day)).toEqual({
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
  ['model', ['claude', 'codex', '(unknown)']],
  ['task', ['claude', 'codex', '(no task)']],
] as const)('by %s', (by, keys) => {
  const shared = by === 'model' || by === 'task' ? [made({ run: 'r2', shared: null })] : []
  const sums = [
    made({ shared: 'claude' }),
    made({ run: 'r2', at: 2, shared: 'codex' }),
    made({ run: 'r2', at: 2, shared: 'claude' }),
    ...shared,
  ]
  expect(buildStats({ runs: RUNS, sums }, by, day).rows.map(({ key }) => key)).toEqual(keys)
})

test('a run counts once in a row, however many of its sums are in it', () => {
  const sums = [made({ at: 1 }), made({ at: 1 }), made({ run: 'r2', at: 1 })]
  const [row] = buildStats({ runs: RUNS, sums }, 'day', day).rows
  expect(row).toMatchObject({ runs: 2, proven: 1, iterations: 3 })
})

test('what an import used is paid for, but it is no run', () => {
  const read = made({ run: 'import', iterations: 0, succeeded: 0, shared: 'claude' })
  const sums = [read, made({ shared: 'claude' })]
  const { rows, total } = buildStats({ runs: RUNS, sums }, 'run', day)
  expect(rows[0]).toMatchObject({ key: 'import', runs: 0, proven: 0, iterations: 0, usd: 0.5 })
  expect(total).toMatchObject({ runs: 3, iterations: 1, usd: 1 })
  expect(buildStats({ runs: RUNS, sums }, 'agent', day).rows).toMatchObject([
    { key: 'claude', runs: 1, iterations: 1, usd: 1 },
  ])
})

test('as CSV: quotes are doubled and no name is a formula', () => {
  const facts = { runs: RUNS.slice(1, 2), sums: [made({ run: 'r2', shared: '=SUM("a"),b' })] }
  expect(statsCsv(buildStats(facts, 'task', day))).toBe(
    'task,runs,proven,iterations,succeeded,durationMs,tokens,usd,unknown,estimated\r\n"\'=SUM(""a""),b",1,0,1,1,1000,10,0.5,0,0\r\n',
  )
})
