import { expect, test } from 'vitest'
import { RalphError } from '../domain/error.ts'
import { checkModelStrategy } from './model-strategy.ts'
import { settingsOf } from './test-kit.ts'

async function refusal(
  said: string | null,
  env: Record<string, string> = {},
  model?: string,
): Promise<string | null> {
  const settings = await settingsOf({ env, ...(model === undefined ? {} : { flags: { model } }) })
  try {
    checkModelStrategy(said, { env, settings })
    return null
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return `${error.code}: ${error.message}`
  }
}

test('one model for all is followed, by flag or variable', async () => {
  expect([
    await refusal(null),
    await refusal('fixed', {}, 'opus'),
    await refusal(null, { RALPH_MODEL_STRATEGY: 'fixed', RALPH_MODEL: 'opus' }),
    await refusal('fixed', { RALPH_MODEL_STRATEGY: 'escalate' }, 'opus'),
  ]).toEqual([null, null, null, null])
})

test('anything else is refused in words', async () => {
  expect([
    await refusal('fixed'),
    await refusal('escalate', {}, 'opus'),
    await refusal(null, { RALPH_MODEL_STRATEGY: 'cost-optimized' }),
    await refusal('cheapest'),
  ]).toEqual([
    'bad-setting: --model-strategy: found "fixed", which needs a model: --model NAME',
    'not-offered: flag --model-strategy: escalate is not offered: models are not chosen anew for each iteration yet',
    'not-offered: environment RALPH_MODEL_STRATEGY: cost-optimized is not offered: models are not chosen anew for each iteration yet',
    'bad-setting: --model-strategy: found "cheapest", expected "fixed" (with --model)',
  ])
})
