import { expect, test } from 'vitest'
import type { Usage } from '../calls/agent-io.ts'
import { spendingRateOf, timeUntilLimits, type IterationSpending } from './spending-rate.ts'
import { NOTHING_SPENT } from '../calls/spending.ts'

const MINUTE = 60_000
const BUDGET = { usd: null, tokens: null, minutes: null, reserveUsd: 1 }

/** One iteration every ten minutes, five minutes long. */
function spending(usages: (Usage | null)[]): IterationSpending[] {
  return usages.map((usage, n) => ({ startedAt: n * 10 * MINUTE, durationMs: 5 * MINUTE, usage }))
}

test('the rate counts from the first of the last iterations to the end of the last one, pauses included', () => {
  const spendingRate = spendingRateOf(
    spending([
      { usd: 1, input: 100 },
      { usd: 2, output: 200 },
    ]),
  )
  expect(spendingRate).toEqual({
    usd: { perHour: 12, atLeast: false },
    tokens: { perHour: 1200, atLeast: false },
  })
})

test('an iteration under way is not counted: nobody knows what it will cost', () => {
  const ended = spending([{ usd: 1 }])
  const under = { startedAt: 10 * MINUTE, durationMs: null, usage: null }
  expect(spendingRateOf([...ended, under])).toEqual(spendingRateOf(ended))
})

test('only the last ten are asked', () => {
  const dear = spending([{ usd: 100 }])
  const cheap = spending(Array.from({ length: 11 }, () => ({ usd: 1 }))).slice(1)
  expect(spendingRateOf([...dear, ...cheap])).toEqual(spendingRateOf(cheap))
})

test('a cost that nobody told is unknown, never nothing', () => {
  expect(spendingRateOf(spending([null, { input: 5 }])).usd).toBeNull()
  expect(spendingRateOf(spending([{ usd: 1 }, null])).usd).toEqual({ perHour: 4, atLeast: true })
})

test.each([
  ['nothing has ended', []],
  ['less than a minute was seen', [{ startedAt: 0, durationMs: 59_000, usage: { usd: 1 } }]],
  [
    'a clock was set back meanwhile',
    [
      { startedAt: 10 * MINUTE, durationMs: MINUTE, usage: { usd: 1 } },
      { startedAt: 0, durationMs: MINUTE, usage: { usd: 1 } },
    ],
  ],
])('there is no rate where %s', (_, iterations) => {
  expect(spendingRateOf(iterations)).toEqual({ usd: null, tokens: null })
})

test('what is left of each limit, at this rate', () => {
  const spendingRate = spendingRateOf(
    spending([
      { usd: 1, input: 100 },
      { usd: 2, output: 200 },
    ]),
  )
  const spent = { ...NOTHING_SPENT, usd: 3, tokens: 300 }
  const budget = { ...BUDGET, usd: 9, tokens: 900, minutes: 20 }
  expect(timeUntilLimits(spendingRate, { spent, spentMs: 15 * MINUTE, budget })).toEqual({
    usd: { ms: 30 * MINUTE, atMost: false },
    tokens: { ms: 30 * MINUTE, atMost: false },
    minutes: { ms: 5 * MINUTE, atMost: false },
  })
})

test('with something unknown spent it is at most that', () => {
  const spendingRate = spendingRateOf(spending([{ usd: 1 }, null]))
  const spent = { ...NOTHING_SPENT, usd: 1, unknown: 1 }
  expect(timeUntilLimits(spendingRate, { spent, spentMs: 0, budget: { ...BUDGET, usd: 2 } }).usd).toEqual({
    ms: 15 * MINUTE,
    atMost: true,
  })
})

test('without a rate nobody can tell; a limit that is passed leaves nothing', () => {
  const none = spendingRateOf([])
  const budget = { ...BUDGET, usd: 2, tokens: 100 }
  const spent = { ...NOTHING_SPENT, tokens: 150 }
  expect(timeUntilLimits(none, { spent, spentMs: 0, budget })).toEqual({
    usd: null,
    tokens: { ms: 0, atMost: false },
    minutes: null,
  })
})
