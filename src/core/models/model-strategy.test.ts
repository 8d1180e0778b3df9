import { describe, expect, test } from 'vitest'
import {
  withFailedAttempt,
  isTierHintUseful,
  invalidTierHintText,
  NO_ATTEMPTS,
  parseTierHint,
  describeTier,
  MODEL_STRATEGIES,
  chooseTier,
  type JobHistory,
  type ModelStrategy,
  NO_TIER_MODELS,
  type Tier,
  type TierModels,
} from './model-strategy.ts'

const visited = { ...NO_ATTEMPTS, visits: 1 }
const once = withFailedAttempt(visited, { stuck: false })
const twice = withFailedAttempt({ ...once, visits: 2 }, { stuck: false })
const stuck = withFailedAttempt(visited, { stuck: true })
/** Failed twice, and then an attempt that got further. */
const better = { ...twice, visits: 3, failing: false }

describe('the tier of the next visit', () => {
  test.each<[string, JobHistory, Record<Exclude<ModelStrategy, 'fixed'>, Tier>]>([
    ['a first visit', { tries: NO_ATTEMPTS, smoothJobs: 0 }, tiers('medium', 'light', 'strong')],
    ['a second one after work', { tries: visited, smoothJobs: 0 }, tiers('medium', 'light', 'medium')],
    ['after a failure', { tries: once, smoothJobs: 0 }, tiers('strong', 'medium', 'medium')],
    ['after two', { tries: twice, smoothJobs: 0 }, tiers('strong', 'strong', 'medium')],
    ['after the agent was stuck', { tries: stuck, smoothJobs: 0 }, tiers('strong', 'strong', 'medium')],
    ['after work that followed two failures', { tries: better, smoothJobs: 1 }, tiers('medium', 'strong', 'medium')],
    ['a first visit after two smooth jobs', { tries: NO_ATTEMPTS, smoothJobs: 2 }, tiers('medium', 'light', 'strong')],
    ['a first visit after three', { tries: NO_ATTEMPTS, smoothJobs: 3 }, tiers('light', 'light', 'strong')],
    ['a second one after three', { tries: visited, smoothJobs: 4 }, tiers('light', 'light', 'medium')],
    ['a failure after three', { tries: once, smoothJobs: 3 }, tiers('strong', 'medium', 'medium')],
  ])('%s', (_, soFar, expected) => {
    const chosen = MODEL_STRATEGIES.filter((one) => one !== 'fixed').map((one) => [one, chooseTier(one, soFar).tier])
    expect(Object.fromEntries(chosen)).toEqual(expected)
  })

  test.each<[Exclude<ModelStrategy, 'fixed'>, JobHistory, string]>([
    ['cost-optimized', { tries: NO_ATTEMPTS, smoothJobs: 0 }, 'that is the default'],
    ['cost-optimized', { tries: once, smoothJobs: 0 }, 'the previous attempt failed'],
    ['cost-optimized', { tries: NO_ATTEMPTS, smoothJobs: 5 }, 'the last 5 attempts succeeded'],
    ['escalate', { tries: NO_ATTEMPTS, smoothJobs: 0 }, 'no attempt has failed yet'],
    ['escalate', { tries: once, smoothJobs: 0 }, 'one attempt failed'],
    ['escalate', { tries: twice, smoothJobs: 0 }, '2 attempts failed'],
    ['escalate', { tries: stuck, smoothJobs: 0 }, 'the work is stuck'],
    ['plan-then-execute', { tries: NO_ATTEMPTS, smoothJobs: 0 }, 'the first attempt plans'],
    ['plan-then-execute', { tries: visited, smoothJobs: 0 }, 'later attempts carry out the plan'],
  ])('%s says why', (strategy, soFar, why) => {
    expect(chooseTier(strategy, soFar).why).toBe(why)
  })

  test('escalate never falls within a job', () => {
    const job = [
      NO_ATTEMPTS,
      once,
      { ...once, failing: false },
      twice,
      better,
      withFailedAttempt(better, { stuck: true }),
    ]
    expect(job.map((tries) => chooseTier('escalate', { tries, smoothJobs: 9 }).tier)).toEqual([
      'light',
      'medium',
      'medium',
      'strong',
      'strong',
      'strong',
    ])
  })
})

test.each<[string, Tier | null]>([
  ['light', 'light'],
  [' Strong ', 'strong'],
  ['opus', 'strong'],
  ['SONNET', 'medium'],
  ['haiku', 'light'],
  ['gpt-9-codex', 'strong'],
  ['GPT-9-mini', 'light'],
  ['gpt-9', null],
  ['strongest', null],
  ['--model', null],
  ['', null],
  ['constructor', null],
])('a hint of %j is the tier %s', (said, tier) => {
  expect(parseTierHint(said, { light: 'gpt-9-mini', medium: null, strong: 'gpt-9-codex' })).toBe(tier)
})

test('a name that the user gave to another tier is that one', () => {
  expect(parseTierHint('opus', { light: 'haiku', medium: 'opus', strong: null })).toBe('medium')
})

test.each<[ModelStrategy, TierModels, boolean]>([
  ['escalate', { light: 'small', medium: null, strong: null }, true],
  ['escalate', { light: 'same', medium: 'same', strong: 'same' }, false],
  ['cost-optimized', NO_TIER_MODELS, false],
  ['fixed', { light: 'small', medium: null, strong: 'large' }, false],
])('a hint under %s with the names %j counts: %s', (strategy, models, counts) => {
  expect(isTierHintUseful(strategy, models)).toBe(counts)
})

test('words', () => {
  expect([describeTier('strong', 'opus'), describeTier('light', null), invalidTierHintText('gpt-9\nx')]).toEqual([
    'strong (opus)',
    "light (the vendor's default model)",
    '"gpt-9\\nx" in <next-model> is not a model you can choose: use light, medium or strong.',
  ])
})

function tiers(cost: Tier, escalate: Tier, plan: Tier): Record<Exclude<ModelStrategy, 'fixed'>, Tier> {
  return { 'cost-optimized': cost, escalate, 'plan-then-execute': plan }
}
