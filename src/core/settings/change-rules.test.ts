import { describe, expect, test } from 'vitest'
import type { Rules } from '../state/rules.ts'
import { someRules } from '../../../test/kit/core.ts'
import { changeRule, CHANGEABLE_RULES } from './change-rules.ts'

const DEFAULTS = someRules()
const RULES: Rules = {
  ...DEFAULTS,
  agent: {
    ...DEFAULTS.agent,
    limits: {
      idleMs: 600_000,
      wallMs: 900_000,
      completionGraceMs: 60_000,
      stopGraceMs: 3_000,
      handshakeMs: 60_000,
    },
  },
  budget: { usd: null, tokens: null, minutes: 1, reserveUsd: 1 },
}

describe('a value that is allowed is put into the rules, and said with what it was', () => {
  test.each<[string, string, string, Rules]>([
    ['budget.usd', '12.5', 'budget.usd is now 12.5 (was none)', { ...RULES, budget: { ...RULES.budget, usd: 12.5 } }],
    [
      'budget.tokens',
      '1000',
      'budget.tokens is now 1000 (was none)',
      { ...RULES, budget: { ...RULES.budget, tokens: 1000 } },
    ],
    [
      'budget.minutes',
      '2h',
      'budget.minutes is now 2h (was 1m)',
      { ...RULES, budget: { ...RULES.budget, minutes: 120 } },
    ],
    [
      'budget.minutes',
      'none',
      'budget.minutes is now none (was 1m)',
      { ...RULES, budget: { ...RULES.budget, minutes: null } },
    ],
    [
      'loop.max_iterations',
      '0',
      'loop.max_iterations is now 0 (was 20)',
      { ...RULES, loop: { ...RULES.loop, iterationsMax: 0 } },
    ],
    ['loop.pause', '5', 'loop.pause is now 5s (was 0)', { ...RULES, loop: { ...RULES.loop, pauseMs: 5_000 } }],
    [
      'quota.calls_per_hour',
      ' 7 ',
      'quota.calls_per_hour is now 7 (was 100)',
      { ...RULES, quota: { ...RULES.quota, callsPerHour: 7 } },
    ],
    [
      'quota.tokens_per_hour',
      '9',
      'quota.tokens_per_hour is now 9 (was 0)',
      { ...RULES, quota: { ...RULES.quota, tokensPerHour: 9 } },
    ],
    [
      'agent.model',
      'opus',
      'agent.model is now opus (was default)',
      { ...RULES, agent: { ...RULES.agent, model: 'opus' } },
    ],
    [
      'agent.effort',
      'high',
      'agent.effort is now high (was default)',
      { ...RULES, agent: { ...RULES.agent, effort: 'high' } },
    ],
    [
      'agent.timeout',
      '20',
      'agent.timeout is now 20m (was 15m)',
      { ...RULES, agent: { ...RULES.agent, limits: { ...RULES.agent.limits, wallMs: 1_200_000 } } },
    ],
    [
      'agent.idle',
      '90s',
      'agent.idle is now 90s (was 10m)',
      { ...RULES, agent: { ...RULES.agent, limits: { ...RULES.agent.limits, idleMs: 90_000 } } },
    ],
    [
      'breaker.no_progress',
      '6',
      'breaker.no_progress is now 6 (was 3)',
      { ...RULES, breaker: { ...RULES.breaker, noProgress: 6 } },
    ],
    [
      'breaker.same_error',
      '6',
      'breaker.same_error is now 6 (was 5)',
      { ...RULES, breaker: { ...RULES.breaker, sameError: 6 } },
    ],
    [
      'proof.required',
      'yes',
      'proof.required is now true (was false)',
      { ...RULES, proof: { ...RULES.proof, required: true } },
    ],
    [
      'proof.rejections',
      '9',
      'proof.rejections is now 9 (was 3)',
      { ...RULES, proof: { ...RULES.proof, rejections: 9 } },
    ],
  ])('%s = %s', (key, text, said, rules) => {
    expect(changeRule(RULES, key, text)).toEqual({ rules, said })
  })
})

test.each([
  ['loop.max_iterations', '5', { iterationsMax: 5, once: false }],
  ['loop.pause', '5s', { iterationsMax: 1, pauseMs: 5_000, once: true }],
])('after --once, %s = %s', (key, value, loop) => {
  const once: Rules = { ...RULES, loop: { ...RULES.loop, iterationsMax: 1, once: true } }
  expect(changeRule(once, key, value)).toMatchObject({ rules: { loop: { ...once.loop, ...loop } } })
})

test('a model takes the place of a strategy', () => {
  const chosen: Rules = { ...RULES, model: { strategy: 'escalate' } }
  expect(changeRule(chosen, 'agent.model', 'opus')).toEqual({
    said: 'agent.model is now opus (was default), and model.strategy is now fixed',
    rules: { ...chosen, agent: { ...chosen.agent, model: 'opus' }, model: { strategy: 'fixed' } },
  })
  expect(changeRule(RULES, 'model.strategy', 'escalate')).toEqual({
    said: 'model.strategy is now escalate (was fixed)',
    rules: chosen,
  })
})

test('also one that was there and not used', () => {
  const unused = { ...RULES, agent: { ...RULES.agent, model: 'opus' } }
  const rules = { ...unused, model: { strategy: 'fixed' as const } }
  expect([
    changeRule({ ...unused, model: { strategy: 'escalate' } }, 'agent.model', 'opus'),
    changeRule(rules, 'agent.model', 'opus'),
  ]).toEqual([
    { said: 'agent.model is opus, and model.strategy is now fixed', rules },
    { said: 'agent.model is already opus', rules },
  ])
})

test.each(['agent.model', 'agent.effort'])('%s is no flag of the agent either', (key) => {
  expect(changeRule(RULES, key, '--yolo')).toEqual({
    problem: `${key}: found "--yolo", expected a word that doesn't start with a dash`,
  })
})

test('without --once a new limit says nothing about it', () => {
  const after = changeRule(RULES, 'loop.max_iterations', '5')
  expect('rules' in after && 'once' in after.rules.loop).toBe(false)
})

test('a value may have spaces around it, and a word nobody knows is not guessed at', () => {
  expect(changeRule(RULES, 'agent.model', '  opus ')).toMatchObject({ rules: { agent: { model: 'opus' } } })
  expect(changeRule(RULES, 'zzzzzzzzzzzz', '5')).toEqual({
    problem: `zzzzzzzzzzzz can't change during a run. These can: ${CHANGEABLE_RULES.join(', ')}`,
  })
})

test('a value that is there already changes nothing', () => {
  expect(changeRule(RULES, 'agent.timeout', '15m')).toEqual({
    rules: RULES,
    said: 'agent.timeout is already 15m',
  })
})

describe('what cannot be is answered with the reason', () => {
  test('a value out of bounds', () => {
    expect(changeRule(RULES, 'budget.usd', '0')).toEqual({
      problem: 'budget.usd: found "0", expected a number of at least 0.01, or "none"',
    })
  })

  test('a key that is nearly right', () => {
    expect(changeRule(RULES, 'budget.us', '5')).toEqual({
      problem: `budget.us can't change during a run. Did you mean budget.usd? These can: ${CHANGEABLE_RULES.join(', ')}`,
    })
  })

  test.each(['loop.prompt', 'gates', 'toString', '__proto__', ''])('the key %j', (key) => {
    expect(changeRule(RULES, key, '5')).toEqual({
      problem: expect.stringContaining("can't change during a run") as string,
    })
  })
})
