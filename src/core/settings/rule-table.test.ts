import { describe, expect, test } from 'vitest'
import { parseValue, type SettingValue } from '../text/value-kind.ts'
import type { RuleDefinition } from './rule.ts'
import {
  RULE_KEYS,
  ruleByName,
  rulesFromSettings,
  ruleValue,
  withRuleValue,
  type RuleSettingValues,
} from './rule-table.ts'

const DEFAULTS = Object.fromEntries(
  RULE_KEYS.map((key): [string, SettingValue] => [key, ruleByName(key).default]),
) as unknown as RuleSettingValues

test('what a record keeps has the shape it always had', () => {
  expect(rulesFromSettings(DEFAULTS, 'ours')).toEqual({
    agent: {
      order: ['claude'],
      model: null,
      effort: null,
      tools: null,
      permission: 'list',
      resume: true,
      conversationMaxAgeMs: 86_400_000,
      maxTurns: null,
      limits: {
        idleMs: 600_000,
        wallMs: 900_000,
        completionGraceMs: 60_000,
        stopGraceMs: 3_000,
        handshakeMs: 60_000,
      },
    },
    model: { strategy: 'fixed' },
    loop: {
      prompt: '.ralph/PROMPT.md',
      plan: '.ralph/fix_plan.md',
      iterationsMax: 20,
      pauseMs: 0,
      commit: 'agent',
      commitRequired: false,
      optionalSections: ['Optional', 'Future', 'Future Enhancements', 'Nice to Have'],
    },
    quota: { callsPerHour: 100, tokensPerHour: 0 },
    budget: { usd: null, tokens: null, minutes: null, reserveUsd: 1 },
    breaker: {
      noProgress: 3,
      sameError: 5,
      denials: 2,
      outputDecline: 70,
      halfOpenAt: 2,
      cooldownMs: 1_800_000,
      autoReset: false,
      wait: false,
    },
    exit: { testOnly: 3, doneSignals: 2, safety: 5, confirm: null, plan: 'require', denial: 'threshold' },
    retry: { firstMs: 5_000, maxMs: 300_000, limitWaitMs: 3_600_000, outageMs: 7_200_000 },
    proof: {
      required: false,
      rejections: 3,
      baseline: 'start',
      reruns: 1,
      level: 'full',
      source: [],
      protect: [],
      mayChange: { tests: [], protectedFiles: [] },
      trials: 12,
      copy: [],
      quarantine: [],
      setup: null,
      reviewer: null,
    },
    task: { maxRetries: 3, giveUps: 1, verify: true, failuresMax: 3, failed: 'revert', leaseMs: 120_000 },
  })
})

test('in a project of the bash tool, auto means what it did', () => {
  const { loop, exit } = rulesFromSettings(DEFAULTS, 'bash')
  expect([loop.iterationsMax, exit.denial]).toEqual([0, 'halt'])
})

describe.each(RULE_KEYS)('%s', (key) => {
  const rule: RuleDefinition = ruleByName(key)

  test('is found where it was put, and nothing else is changed by it', () => {
    const before = rulesFromSettings(DEFAULTS, 'ours')
    const value = other(rule)
    const after = withRuleValue(before, key, value)
    expect(ruleValue(after, key)).toEqual(value)
    expect(withRuleValue(after, key, ruleValue(before, key))).toEqual(before)
  })

  test('what auto means is a value of its kind', () => {
    for (const value of Object.values(rule.auto ?? {}))
      expect(parseValue(rule.kind, value, 'data')).toEqual({ ok: true, value })
  })
})

/** Some value that is not the default. */
function other({ kind, default: usual }: RuleDefinition): SettingValue {
  switch (kind.is) {
    case 'integer':
    case 'number':
    case 'duration':
      return (typeof usual === 'number' ? usual : kind.min) + 60_000
    case 'boolean':
      return usual !== true
    case 'text':
      return 'another'
    case 'list':
      return ['another']
    case 'choice':
      return kind.of.find((word) => word !== usual) ?? null
  }
}
