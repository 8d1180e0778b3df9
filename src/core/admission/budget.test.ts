/** Quota and budget: what may be used, and when there is more. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Usage } from '../calls/agent-io.ts'
import type { BudgetRules } from '../state/rules.ts'
import {
  isOverdrawn,
  UNSPENT_BUDGET,
  computeRemainingBudget,
  computeReservation,
  bookUsage,
  spentTenths,
  countBudgetTokens,
  capWallTime,
  withReservation,
  growReservation,
  type RemainingBudget,
  type CallUsage,
  type BudgetState,
} from './budget.ts'
import { checkQuota, HOUR_MS, hourStart } from './quota.ts'

describe('quota', () => {
  const limits = { callsPerHour: 100, tokensPerHour: 5_000 }
  test.each([
    [{ calls: 99, tokens: 0 }, true],
    [{ calls: 100, tokens: 0 }, false],
    [{ calls: 0, tokens: 4_999 }, true],
    [{ calls: 0, tokens: 5_000 }, false],
  ])('%o is admitted: %s', (used, admitted) => {
    expect(checkQuota(used, limits, 0).admitted).toBe(admitted)
  })

  test('what is refused may try again at the next full hour', () => {
    const at = 7 * HOUR_MS + 12_345
    expect(checkQuota({ calls: 100, tokens: 0 }, limits, at)).toEqual({
      admitted: false,
      until: 8 * HOUR_MS,
      why: '100 of 100 calls used this hour',
    })
    expect(hourStart(at)).toBe(7 * HOUR_MS)
  })

  test('0 means no limit', () => {
    expect(checkQuota({ calls: 1e9, tokens: 1e9 }, { callsPerHour: 0, tokensPerHour: 0 }, 0)).toEqual({
      admitted: true,
    })
  })
})

describe('budget', () => {
  const rules: BudgetRules = { usd: 10, tokens: null, minutes: null, reserveUsd: 1 }
  const whole = (usage: Usage | null): CallUsage => ({ usage, cutOff: false })

  test('the first iteration reserves the setting, later ones the dearest of the last three, or a tenth of what is left', () => {
    expect(computeReservation(UNSPENT_BUDGET, rules, 0)).toMatchObject({ ok: true, usd: 1 })
    expect(computeReservation(UNSPENT_BUDGET, { ...rules, usd: 0.2 }, 0)).toMatchObject({ ok: true, usd: 0.2 })
    const spent = [0.2, 3, 0.1, 0.4].reduce(
      (budget, usd) => bookUsage(budget, rules, '1', whole({ usd })),
      UNSPENT_BUDGET,
    )
    expect(computeReservation(spent, rules, 0)).toMatchObject({ ok: true, usd: 3 })
    expect(computeReservation(bookUsage(spent, rules, '1', whole({ usd: 0.5 })), rules, 0)).toMatchObject({
      ok: true,
      usd: 0.58,
    })
  })

  test('what is reserved by others counts as spent', () => {
    const budget = withReservation({ ...UNSPENT_BUDGET, usd: 8.5 }, '2', { usd: 1, tokens: 0 })
    expect(computeReservation(budget, rules, 0)).toEqual({
      ok: false,
      limit: 'cost_limit',
      why: '$0.50 of $10.00 is left and the next iteration may cost $1.00',
    })
  })

  test('unknown cost is counted as unknown, and reckoned at a likely one where money is limited', () => {
    const budget = bookUsage(
      withReservation(UNSPENT_BUDGET, '1', { usd: 1, tokens: 0 }),
      rules,
      '1',
      whole({ input: 10, output: 5 }),
    )
    expect(budget).toEqual({
      ...UNSPENT_BUDGET,
      tokens: 15,
      recentTokens: [15],
      unknown: 1,
      estimatedUsd: 1,
    })
    expect(bookUsage(UNSPENT_BUDGET, { ...rules, usd: null }, '1', whole(null))).toEqual({
      ...UNSPENT_BUDGET,
      unknown: 1,
    })
  })

  test.each<[string, Usage | null, Partial<BudgetState>]>([
    ['nothing told counts as a likely one', null, { estimatedUsd: 2, unknown: 1 }],
    ['tokens told are booked all the same', { input: 7 }, { tokens: 7, estimatedUsd: 2, unknown: 1 }],
    ['less told than likely counts as a likely one', { usd: 0.5 }, { usd: 0.5, estimatedUsd: 1.5 }],
    ['more told than likely counts in full', { usd: 3 }, { usd: 3 }],
  ])('of an iteration that we did not see to its end, %s', (_, usage, booked) => {
    const dear = { ...rules, reserveUsd: 2 }
    const budget = withReservation(UNSPENT_BUDGET, '1', { usd: 2, tokens: 0 })
    const after = bookUsage(budget, dear, '1', { usage, cutOff: true })
    expect(after).toEqual({ ...UNSPENT_BUDGET, ...booked })
    const unlimited = bookUsage(budget, { ...dear, usd: null }, '1', { usage, cutOff: true })
    expect(unlimited).toEqual({ ...UNSPENT_BUDGET, ...booked, estimatedUsd: 0 })
  })

  test('tokens are fresh input, stored or not, and output; what a cache gives again is not counted', () => {
    expect(countBudgetTokens({ input: 1, cacheWrite: 20, output: 300, cacheRead: 4_000, reasoning: 200 })).toBe(321)
  })

  test.each<[Usage, RemainingBudget, number]>([
    [{ usd: 0.5 }, { usd: null, tokens: null }, 0],
    [{ usd: 0.49 }, { usd: 1, tokens: null }, 4],
    [{ usd: 0.1, input: 80 }, { usd: 1, tokens: 100 }, 8],
    [{ usd: 9 }, { usd: 1, tokens: null }, 10],
    [{ input: 0 }, { usd: 0, tokens: null }, 10],
  ])('%o of %o are %d tenths', (usage, left, tenths) => {
    expect(spentTenths(usage, left)).toBe(tenths)
  })

  test.each<[string, Partial<BudgetRules>, number, string]>([
    ['tokens', { tokens: 100 }, 0, 'token_limit'],
    ['minutes', { minutes: 5 }, 5 * 60_000, 'time_limit'],
  ])('%s end a run as well', (_, more, spentMs, limit) => {
    expect(computeReservation({ ...UNSPENT_BUDGET, tokens: 100 }, { ...rules, ...more }, spentMs)).toMatchObject({
      ok: false,
      limit,
    })
  })

  test('in flight an agent may spend what is left besides its own reservation', () => {
    const budget = withReservation(
      withReservation({ ...UNSPENT_BUDGET, usd: 4, tokens: 30 }, '1', { usd: 2, tokens: 0 }),
      '2',
      { usd: 1, tokens: 0 },
    )
    expect(computeRemainingBudget(budget, { ...rules, tokens: 100 }, '1')).toEqual({ usd: 5, tokens: 70 })
    expect(computeRemainingBudget(budget, { ...rules, usd: null }, '1')).toEqual({ usd: null, tokens: null })
  })

  test('tokens are reserved like money: the next call may use as many as the greediest of the last', () => {
    const limited = { ...rules, tokens: 100 }
    const spent = bookUsage(UNSPENT_BUDGET, limited, '1', whole({ input: 60 }))
    expect(computeReservation(spent, limited, 0)).toEqual({
      ok: false,
      limit: 'token_limit',
      why: '40 of 100 tokens are left and the next iteration may use 60',
    })
    const others = withReservation(UNSPENT_BUDGET, '2', { usd: 0, tokens: 70 })
    expect(computeRemainingBudget(others, limited, '1').tokens).toBe(30)
  })

  test('a reservation is at least what an agent may use before it is heard of', () => {
    expect(computeReservation(UNSPENT_BUDGET, { ...rules, usd: 100, tokens: 50 }, 0)).toEqual({
      ok: true,
      usd: 10,
      tokens: 5,
    })
  })

  test('a reservation grows with what is spent in flight, ahead of it up to the allowance, and never shrinks', () => {
    const allowed = { usd: 10, tokens: null }
    const at = (usd: number): number =>
      growReservation(withReservation(UNSPENT_BUDGET, '1', { usd: 2, tokens: 0 }), '1', { usd }, allowed).reserved[
        '1'
      ] ?? 0
    expect([0.5, 1, 4, 9, 9.5, 30].map(at)).toEqual([2, 2, 5, 10, 10, 30])
  })

  test('however many work at once and whatever each of them spends, together they never pass the limits', () => {
    const limits = { ...rules, usd: 10, tokens: 1_000 }
    const ids = ['1', '2', '3', '4', '5']
    fc.assert(
      fc.property(
        fc.array(fc.record({ who: fc.constantFrom(...ids), ends: fc.boolean() }), { maxLength: 400 }),
        fc.double({ min: 0.01, max: 3, noNaN: true }),
        (turns, reserveUsd) => {
          const by = { ...limits, reserveUsd }
          const working = new Map<string, { left: RemainingBudget; tenth: number; gone: boolean }>()
          let budget = UNSPENT_BUDGET
          const usedBy = (id: string, tenth: number): Usage => {
            const { left } = working.get(id) ?? { left: { usd: 0, tokens: 0 } }
            return { usd: ((left.usd ?? 0) * tenth) / 10, input: ((left.tokens ?? 0) * tenth) / 10 }
          }
          for (const { who, ends } of turns) {
            const mine = working.get(who)
            if (mine === undefined) {
              const reservation = computeReservation(budget, by, 0)
              if (!reservation.ok) continue
              budget = withReservation(budget, who, reservation)
              working.set(who, { left: computeRemainingBudget(budget, by, who), tenth: 0, gone: false })
            } else if (ends || mine.gone) {
              budget = bookUsage(budget, by, who, whole(usedBy(who, mine.tenth)))
              working.delete(who)
            } else {
              mine.tenth += 1
              budget = growReservation(budget, who, usedBy(who, mine.tenth), mine.left)
              mine.gone = mine.tenth >= 10 || isOverdrawn(budget, by)
            }
            const flight = [...working].map(([id, { tenth }]) => usedBy(id, tenth))
            const usd = flight.reduce((sum, used) => sum + (used.usd ?? 0), budget.usd)
            const tokens = flight.reduce((sum, used) => sum + countBudgetTokens(used), budget.tokens)
            expect(usd).toBeLessThanOrEqual(10 + 1e-6)
            expect(tokens).toBeLessThanOrEqual(1_000 + 1e-6)
          }
        },
      ),
    )
  })

  test('the remaining minutes are also the wall limit of an iteration', () => {
    expect(capWallTime(900_000, { ...rules, minutes: 10 }, 8 * 60_000)).toBe(2 * 60_000)
    expect(capWallTime(0, { ...rules, minutes: 10 }, 0)).toBe(10 * 60_000)
    expect(capWallTime(900_000, rules, 0)).toBe(900_000)
  })

  test('whatever is reserved and settled, spend never passes the limit by more than one iteration', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 4, noNaN: true }), { maxLength: 60 }), (costs) => {
        let budget = UNSPENT_BUDGET
        for (const usd of costs) {
          const reservation = computeReservation(budget, rules, 0)
          if (!reservation.ok) break
          budget = bookUsage(withReservation(budget, '1', reservation), rules, '1', whole({ usd }))
        }
        expect(budget.usd).toBeLessThanOrEqual(10 + 4)
        expect(budget.reserved).toEqual({})
      }),
    )
  })
})
