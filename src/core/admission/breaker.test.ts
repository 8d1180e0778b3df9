import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BreakerRules } from '../state/rules.ts'
import {
  inheritBreaker,
  closedBreaker,
  halfOpenIfCooledDown,
  breakerAfterIteration,
  type Breaker,
  type BreakerInput,
} from './breaker.ts'

const RULES: BreakerRules = {
  noProgress: 3,
  sameError: 5,
  denials: 2,
  outputDecline: 70,
  halfOpenAt: 2,
  cooldownMs: 30 * 60_000,
  autoReset: false,
  wait: false,
}
const MOVED: BreakerInput = {
  progress: true,
  question: false,
  error: false,
  denied: false,
  declined: false,
}
const IDLE: BreakerInput = { ...MOVED, progress: false }

function after(moves: BreakerInput[], rules = RULES, from: Breaker = closedBreaker(0)): Breaker {
  return moves.reduce((breaker, moved, i) => breakerAfterIteration(breaker, moved, rules, i + 1), from)
}

describe('opening', () => {
  test('nothing moved three times: half-open at two, open at three', () => {
    expect(after([IDLE, IDLE])).toEqual({
      is: 'half-open',
      counts: { idle: 2, failed: 0, denied: 0, declined: 0 },
      opens: 0,
      changedAt: 2,
      reason: '2 iterations without progress',
    })
    expect(after([IDLE, IDLE, IDLE])).toEqual({
      is: 'open',
      counts: { idle: 3, failed: 0, denied: 0, declined: 0 },
      opens: 1,
      changedAt: 3,
      openedAt: 3,
      why: 'no-progress',
      reason: 'no changes in 3 iterations in a row',
    })
  })

  test.each<[string, BreakerInput[], string]>([
    ['the same error five times', Array<BreakerInput>(5).fill({ ...MOVED, error: true }), 'same-error'],
    [
      'denied twice',
      [
        { ...MOVED, denied: true },
        { ...MOVED, denied: true },
      ],
      'denials',
    ],
    [
      'output fell twice with no progress',
      [
        { ...IDLE, declined: true },
        { ...IDLE, declined: true },
      ],
      'output-decline',
    ],
    ['denials are looked at before idleness', Array<BreakerInput>(3).fill({ ...IDLE, denied: true }), 'denials'],
  ])('%s', (_, moves, why) => {
    expect(after(moves)).toMatchObject({ is: 'open', why })
  })

  test.each<[string, BreakerInput[]]>([
    ['four errors', Array<BreakerInput>(4).fill({ ...MOVED, error: true })],
    [
      'errors with a good one between',
      [...Array<BreakerInput>(4).fill({ ...MOVED, error: true }), MOVED, { ...MOVED, error: true }],
    ],
    ['output that fell while things moved', Array<BreakerInput>(4).fill({ ...MOVED, declined: true })],
    [
      'one decline, then none',
      [
        { ...IDLE, declined: true },
        { ...MOVED, declined: true },
        { ...IDLE, declined: true },
      ],
    ],
  ])('stays closed: %s', (_, moves) => {
    expect(after(moves).is).toBe('closed')
  })

  test('a question neither counts as idle nor as progress', () => {
    const question = { ...IDLE, question: true }
    expect(after([IDLE, question, question, question]).counts.idle).toBe(1)
    expect(after([IDLE, IDLE, question]).is).toBe('half-open')
  })

  test('errors also open a half-open breaker', () => {
    const error = { ...IDLE, question: true, error: true }
    expect(after([IDLE, IDLE, error, error, error, error, error])).toMatchObject({
      is: 'open',
      why: 'same-error',
    })
  })

  test('a threshold of 0 switches its rule off', () => {
    const off = { ...RULES, noProgress: 0, sameError: 0, denials: 0, outputDecline: 0, halfOpenAt: 0 }
    const bad = { progress: false, question: false, error: true, denied: true, declined: true }
    expect(after(Array<BreakerInput>(20).fill(bad), off).is).toBe('closed')
  })
})

describe('recovering', () => {
  test('progress closes a half-open breaker', () => {
    expect(after([IDLE, IDLE, MOVED])).toEqual({
      is: 'closed',
      counts: { idle: 0, failed: 0, denied: 0, declined: 0 },
      opens: 0,
      changedAt: 3,
    })
  })

  test('an open one stays open whatever happens', () => {
    const open = after([IDLE, IDLE, IDLE])
    expect(breakerAfterIteration(open, MOVED, RULES, 9)).toBe(open)
  })

  const ERROR = { ...MOVED, error: true }
  const DENIED = { ...MOVED, denied: true }
  const SHORTER = { ...IDLE, question: true, declined: true }
  /** A failed call says nothing about the work. */
  const FAILED = { ...IDLE, question: true, error: true }

  function cooled(moves: BreakerInput[]): Breaker {
    return halfOpenIfCooledDown(after(moves), RULES, moves.length + RULES.cooldownMs)
  }

  test('the cool-down keeps every counter', () => {
    expect(cooled([IDLE, { ...IDLE, error: true }, { ...IDLE, error: true }])).toEqual({
      is: 'half-open',
      counts: { idle: 3, failed: 2, denied: 0, declined: 0 },
      opens: 1,
      changedAt: 3 + RULES.cooldownMs,
      reason: 'cooldown over after 30 min',
    })
  })

  test.each<[why: string, moves: BreakerInput[], again: BreakerInput]>([
    ['no-progress', [IDLE, IDLE, IDLE], IDLE],
    ['same-error', Array<BreakerInput>(5).fill(ERROR), { ...ERROR, progress: false }],
    ['same-error', Array<BreakerInput>(5).fill(FAILED), FAILED],
    ['denials', [DENIED, DENIED], DENIED],
    ['output-decline', [SHORTER, SHORTER], SHORTER],
  ])('opened by %s: one more of it opens it again, progress alone closes it', (why, moves, again) => {
    const half = cooled(moves)
    expect(half.is).toBe('half-open')
    expect(breakerAfterIteration(half, again, RULES, 9)).toMatchObject({ is: 'open', why, opens: 2 })
    expect(breakerAfterIteration(half, MOVED, RULES, 9).is).toBe('closed')
  })

  test('progress closes it although errors come with it; the next one that has nothing else opens it', () => {
    const closed = breakerAfterIteration(cooled(Array<BreakerInput>(5).fill(ERROR)), ERROR, RULES, 9)
    expect(closed).toMatchObject({ is: 'closed', counts: { failed: 6 } })
    expect(breakerAfterIteration(closed, FAILED, RULES, 10)).toMatchObject({ is: 'open', why: 'same-error' })
  })

  test.each([
    ['a question', { ...IDLE, question: true }],
    ['a failed call', FAILED],
  ])('%s is no trial: it stays half-open', (_, moved) => {
    const half = breakerAfterIteration(cooled([IDLE, IDLE, IDLE]), moved, RULES, 9)
    expect(half.is).toBe('half-open')
    expect(breakerAfterIteration(half, IDLE, RULES, 10)).toMatchObject({ is: 'open', why: 'no-progress' })
    expect(breakerAfterIteration(half, MOVED, RULES, 10).is).toBe('closed')
  })

  test.each([
    ['too early', 3 + RULES.cooldownMs - 1, 'open'],
    ['a clock that went backwards', 1, 'open'],
    ['a cool-down of 0', 3, 'half-open'],
  ])('%s', (name, at, is) => {
    const rules = name === 'a cool-down of 0' ? { ...RULES, cooldownMs: 0 } : RULES
    expect(halfOpenIfCooledDown(after([IDLE, IDLE, IDLE]), rules, at).is).toBe(is)
  })
})

test('whatever happened: after a cool-down progress without a denial closes it, an idle iteration never does', () => {
  const flag = fc.boolean()
  const move = fc.record({ progress: flag, question: flag, error: flag, denied: flag, declined: flag })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), move, (moves, trial) => {
      const open = after(moves)
      if (open.is !== 'open') return
      const half = halfOpenIfCooledDown(open, RULES, open.openedAt + RULES.cooldownMs)
      expect(half).toMatchObject({ is: 'half-open', counts: open.counts, opens: open.opens })
      const tried = breakerAfterIteration(half, trial, RULES, 99)
      if (trial.progress && !trial.denied) expect(tried.is).toBe('closed')
      if (!trial.progress) expect(tried.is).not.toBe('closed')
      if (!trial.progress && !trial.question && open.why === 'no-progress') expect(tried.is).toBe('open')
    }),
  )
})

test('a new run carries an open breaker over, unless it is told to reset it', () => {
  const open = after([IDLE, IDLE, IDLE])
  expect(inheritBreaker(null, RULES, 9)).toEqual(closedBreaker(9))
  expect(inheritBreaker(open, RULES, 9)).toBe(open)
  expect(inheritBreaker(open, { ...RULES, autoReset: true }, 9)).toEqual({ ...closedBreaker(9), opens: 1 })
})
