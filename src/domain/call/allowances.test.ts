/** Quota and budget: what may be used, and when there is more. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Usage } from './agent.ts'
import type { BudgetRules } from '../run/rules.ts'
import {
  EMPTY_BUDGET,
  leftInFlight,
  reserve,
  settle,
  tenthsOf,
  tokensOf,
  wallWithin,
  withReservation,
  type Allowance,
  type Bill,
  type Budget,
} from './budget.ts'
import { admit, HOUR_MS, hourStart } from './quota.ts'

describe('quota', () => {
  const limits = { callsPerHour: 100, tokensPerHour: 5_000 }
  test.each([
    [{ calls: 99, tokens: 0 }, true],
    [{ calls: 100, tokens: 0 }, false],
    [{ calls: 0, tokens: 4_999 }, true],
    [{ calls: 0, tokens: 5_000 }, false],
  ])('%o is admitted: %s', (used, admitted) => {
    expect(admit(used, limits, 0).admitted).toBe(admitted)
  })

  test('what is refused may try again at the next full hour', () => {
    const at = 7 * HOUR_MS + 12_345
    expect(admit({ calls: 100, tokens: 0 }, limits, at)).toEqual({
      admitted: false,
      until: 8 * HOUR_MS,
      why: '100 of 100 calls of this hour are used',
    })
    expect(hourStart(at)).toBe(7 * HOUR_MS)
  })

  test('0 means no limit', () => {
    expect(admit({ calls: 1e9, tokens: 1e9 }, { callsPerHour: 0, tokensPerHour: 0 }, 0)).toEqual({
      admitted: true,
    })
  })
})

describe('budget', () => {
  const rules: BudgetRules = { usd: 10, tokens: null, minutes: null, reserveUsd: 1 }
  const whole = (usage: Usage | null): Bill => ({ usage, cutOff: false })

  test('the first iteration reserves the setting, later ones the dearest of the last three', () => {
    expect(reserve(EMPTY_BUDGET, rules, 0)).toEqual({ ok: true, usd: 1 })
    expect(reserve(EMPTY_BUDGET, { ...rules, usd: 0.2 }, 0)).toEqual({ ok: true, usd: 0.2 })
    const spent = [0.2, 3, 0.1, 0.4].reduce(
      (budget, usd) => settle(budget, rules, '1', whole({ usd })),
      EMPTY_BUDGET,
    )
    expect(reserve(spent, rules, 0)).toEqual({ ok: true, usd: 3 })
    expect(reserve(settle(spent, rules, '1', whole({ usd: 0.5 })), rules, 0)).toEqual({ ok: true, usd: 0.5 })
  })

  test('what is reserved by others counts as spent', () => {
    const budget = withReservation({ ...EMPTY_BUDGET, usd: 8.5 }, '2', 1)
    expect(reserve(budget, rules, 0)).toEqual({
      ok: false,
      limit: 'cost_limit',
      why: '$0.50 of $10.00 is left and the next iteration may cost $1.00',
    })
  })

  test('unknown cost is counted as unknown, and reckoned at the reservation where money is limited', () => {
    const budget = settle(withReservation(EMPTY_BUDGET, '1', 1), rules, '1', whole({ input: 10, output: 5 }))
    expect(budget).toEqual({ ...EMPTY_BUDGET, tokens: 15, unknown: 1, reckonedUsd: 1 })
    expect(settle(EMPTY_BUDGET, { ...rules, usd: null }, '1', whole(null))).toEqual({
      ...EMPTY_BUDGET,
      unknown: 1,
    })
  })

  test.each<[string, Usage | null, Partial<Budget>]>([
    ['nothing told counts as its reservation', null, { reckonedUsd: 2, unknown: 1 }],
    ['tokens told are booked all the same', { input: 7 }, { tokens: 7, reckonedUsd: 2, unknown: 1 }],
    ['less told than reserved counts as the reservation', { usd: 0.5 }, { usd: 0.5, reckonedUsd: 1.5 }],
    ['more told than reserved counts in full', { usd: 3 }, { usd: 3 }],
  ])('of an iteration that we did not see to its end, %s', (_, usage, booked) => {
    const budget = withReservation(EMPTY_BUDGET, '1', 2)
    const after = settle(budget, rules, '1', { usage, cutOff: true })
    expect(after).toEqual({ ...EMPTY_BUDGET, ...booked })
    const unlimited = settle(budget, { ...rules, usd: null }, '1', { usage, cutOff: true })
    expect(unlimited).toEqual({ ...EMPTY_BUDGET, ...booked, reckonedUsd: 0 })
  })

  test('tokens are fresh input, stored or not, and output; what a cache gives again is not counted', () => {
    expect(tokensOf({ input: 1, cacheWrite: 20, output: 300, cacheRead: 4_000, reasoning: 200 })).toBe(321)
  })

  test.each<[Usage, Allowance, number]>([
    [{ usd: 0.5 }, { usd: null, tokens: null }, 0],
    [{ usd: 0.49 }, { usd: 1, tokens: null }, 4],
    [{ usd: 0.1, input: 80 }, { usd: 1, tokens: 100 }, 8],
    [{ usd: 9 }, { usd: 1, tokens: null }, 10],
    [{ input: 0 }, { usd: 0, tokens: null }, 10],
  ])('%o of %o are %d tenths', (usage, left, tenths) => {
    expect(tenthsOf(usage, left)).toBe(tenths)
  })

  test.each<[string, Partial<BudgetRules>, number, string]>([
    ['tokens', { tokens: 100 }, 0, 'token_limit'],
    ['minutes', { minutes: 5 }, 5 * 60_000, 'time_limit'],
  ])('%s end a run as well', (_, more, spentMs, limit) => {
    expect(reserve({ ...EMPTY_BUDGET, tokens: 100 }, { ...rules, ...more }, spentMs)).toMatchObject({
      ok: false,
      limit,
    })
  })

  test('in flight an agent may spend what is left besides its own reservation', () => {
    const budget = withReservation(withReservation({ ...EMPTY_BUDGET, usd: 4, tokens: 30 }, '1', 2), '2', 1)
    expect(leftInFlight(budget, { ...rules, tokens: 100 }, '1')).toEqual({ usd: 5, tokens: 70 })
    expect(leftInFlight(budget, { ...rules, usd: null }, '1')).toEqual({ usd: null, tokens: null })
  })

  test('the remaining minutes are also the wall limit of an iteration', () => {
    expect(wallWithin(900_000, { ...rules, minutes: 10 }, 8 * 60_000)).toBe(2 * 60_000)
    expect(wallWithin(0, { ...rules, minutes: 10 }, 0)).toBe(10 * 60_000)
    expect(wallWithin(900_000, rules, 0)).toBe(900_000)
  })

  test('whatever is reserved and settled, spend never passes the limit by more than one iteration', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 4, noNaN: true }), { maxLength: 60 }), (costs) => {
        let budget = EMPTY_BUDGET
        for (const usd of costs) {
          const reservation = reserve(budget, rules, 0)
          if (!reservation.ok) break
          budget = settle(withReservation(budget, '1', reservation.usd), rules, '1', whole({ usd }))
        }
        expect(budget.usd).toBeLessThanOrEqual(10 + 4)
        expect(budget.reserved).toEqual({})
      }),
    )
  })
})
