import { describe, expect, test } from 'vitest'
import type { BreakerRules } from '../rules.ts'
import { carryOver, closedBreaker, coolDown, recordMove, type Breaker, type Moved } from './breaker.ts'

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
const MOVED: Moved = { progress: true, question: false, error: false, denied: false, declined: false }
const IDLE: Moved = { ...MOVED, progress: false }

function after(moves: Moved[], rules = RULES, from: Breaker = closedBreaker(0)): Breaker {
  return moves.reduce((breaker, moved, i) => recordMove(breaker, moved, rules, i + 1), from)
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
      reason: 'nothing moved in 3 iterations in a row',
    })
  })

  test.each<[string, Moved[], string]>([
    ['the same error five times', Array<Moved>(5).fill({ ...MOVED, error: true }), 'same-error'],
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
    ['denials are looked at before idleness', Array<Moved>(3).fill({ ...IDLE, denied: true }), 'denials'],
  ])('%s', (_, moves, why) => {
    expect(after(moves)).toMatchObject({ is: 'open', why })
  })

  test.each<[string, Moved[]]>([
    ['four errors', Array<Moved>(4).fill({ ...MOVED, error: true })],
    [
      'errors with a good one between',
      [...Array<Moved>(4).fill({ ...MOVED, error: true }), MOVED, { ...MOVED, error: true }],
    ],
    ['output that fell while things moved', Array<Moved>(4).fill({ ...MOVED, declined: true })],
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
    expect(after(Array<Moved>(20).fill(bad), off).is).toBe('closed')
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
    expect(recordMove(open, MOVED, RULES, 9)).toBe(open)
  })

  test('after the cool-down one more idle iteration opens it again', () => {
    const open = after([IDLE, IDLE, IDLE])
    const half = coolDown(open, RULES, 3 + RULES.cooldownMs)
    expect(half).toMatchObject({ is: 'half-open', reason: 'cool-down over after 30 min' })
    expect(recordMove(half, IDLE, RULES, 9)).toMatchObject({ is: 'open', why: 'no-progress', opens: 2 })
    expect(recordMove(half, MOVED, RULES, 9).is).toBe('closed')
  })

  test.each([
    ['too early', 3 + RULES.cooldownMs - 1, 'open'],
    ['a clock that went backwards', 1, 'open'],
    ['a cool-down of 0', 3, 'half-open'],
  ])('%s', (name, at, is) => {
    const rules = name === 'a cool-down of 0' ? { ...RULES, cooldownMs: 0 } : RULES
    expect(coolDown(after([IDLE, IDLE, IDLE]), rules, at).is).toBe(is)
  })
})

test('a new run carries an open breaker over, unless it is told to reset it', () => {
  const open = after([IDLE, IDLE, IDLE])
  expect(carryOver(null, RULES, 9)).toEqual(closedBreaker(9))
  expect(carryOver(open, RULES, 9)).toBe(open)
  expect(carryOver(open, { ...RULES, autoReset: true }, 9)).toEqual({ ...closedBreaker(9), opens: 1 })
})
