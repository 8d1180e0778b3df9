import { expect, test } from 'vitest'
import type { RetryRules } from '../state/rules.ts'
import {
  backOffDelay,
  chooseAgent,
  cooldownForLimit,
  cooldownForOutage,
  findTotalOutage,
  type Cooldown,
} from './cooldown.ts'

const RULES: RetryRules = { firstMs: 5_000, maxMs: 300_000, limitWaitMs: 3_600_000, outageMs: 7_200_000 }
const ORDER = ['claude', 'codex']

const until = (at: number): Cooldown => ({ is: 'usage-limit', until: at, tries: 1 })
const now = (at: number): { at: number; up: number } => ({ at, up: at })

test('the first free agent works; with none free, the earliest reset is waited for', () => {
  expect(chooseAgent(ORDER, {}, now(10))).toEqual({ agent: 'claude' })
  expect(chooseAgent(ORDER, { claude: until(20) }, now(10))).toEqual({ agent: 'codex' })
  expect(chooseAgent(ORDER, { claude: until(20), codex: until(15) }, now(10))).toEqual({
    agent: null,
    until: 15,
  })
})

test('after its reset the first agent is tried again', () => {
  expect(chooseAgent(ORDER, { claude: until(20) }, now(20))).toEqual({ agent: 'claude' })
})

test('a limit lasts until its announced reset, else an hour; after a reset in the past it is tried again soon', () => {
  const usage = (resetsAt?: number): Cooldown =>
    cooldownForLimit({ kind: 'usage-limit', ...(resetsAt === undefined ? {} : { resetsAt }) }, undefined, RULES, 1_000)
  expect(usage(99_000).until).toBe(99_000)
  expect(usage().until).toBe(1_000 + 3_600_000)
  expect(usage(500).until).toBe(1_000 + 5_000)
})

test('a rate limit backs off, the longer the more often it comes in a row', () => {
  const first = cooldownForLimit({ kind: 'rate-limit' }, undefined, RULES, 1_000)
  expect(first).toEqual({ is: 'rate-limit', until: 6_000, tries: 1 })
  expect(cooldownForLimit({ kind: 'rate-limit' }, first, RULES, 6_000)).toEqual({
    is: 'rate-limit',
    until: 16_000,
    tries: 2,
  })
})

test('an outage is tried again after awake time, whatever somebody does to the clock', () => {
  const rest = cooldownForOutage('overloaded', undefined, RULES, { at: 1_000_000, up: 10 })
  expect(chooseAgent(['claude'], { claude: rest }, { at: 0, up: 5_009 })).toMatchObject({ agent: null })
  expect(chooseAgent(['claude'], { claude: rest }, { at: 0, up: 5_010 })).toEqual({ agent: 'claude' })
})

test('nobody can be reached only if each of them is out, since the last one went', () => {
  const first = cooldownForOutage('overloaded', undefined, RULES, now(1_000))
  const second = cooldownForOutage('no network', undefined, RULES, now(3_000))
  expect(findTotalOutage(ORDER, { claude: first })).toBeNull()
  expect(findTotalOutage(ORDER, { claude: first, codex: until(9_999) })).toBeNull()
  expect(findTotalOutage(ORDER, { claude: first, codex: second })).toEqual({
    since: 3_000,
    sinceUp: 3_000,
    nextUp: 6_000,
  })
})

test('failures back off from 5 s, doubling, to 5 min', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 50].map((n) => backOffDelay(n, RULES) / 1000)).toEqual([
    5, 10, 20, 40, 80, 160, 300, 300,
  ])
})
