import { expect, test } from 'vitest'
import { driverFor } from '../../agents/registry.ts'
import { tierModelsOf } from '../../core/models/model-strategy.ts'
import { modelWarnings } from './model-warnings.ts'

const NONE = { 'models.light': null, 'models.medium': null, 'models.strong': null }
type Named = Parameters<typeof tierModelsOf>[1]

function named(values: Partial<typeof NONE> | Record<string, string>, models: Named['models'] = {}): Named {
  return { models, values: { ...NONE, ...values } as Named['values'] }
}

function drivers(...names: string[]): ReturnType<typeof driverFor>[] {
  return names.map((name) => driverFor(name, {}))
}

test("an agent's own table goes before the settings, and these before what its driver knows", () => {
  const settings = named({ 'models.medium': 'middle', 'models.strong': 'large' }, { claude: { strong: 'fable' } })
  expect(tierModelsOf(drivers('claude', 'opencode', 'acp:gemini --acp'), settings)).toEqual({
    claude: { light: 'haiku', medium: 'middle', strong: 'fable' },
    opencode: { light: null, medium: 'middle', strong: 'large' },
    'acp:gemini --acp': { light: 'flash-lite', medium: 'middle', strong: 'large' },
  })
})

test('who has a name for none is told of, where somebody chose a strategy', () => {
  const agents = drivers('claude', 'opencode', 'acp:other --acp')
  const models = tierModelsOf(agents, named({}))
  const remarks = (strategy: 'fixed' | 'escalate', isChosen: boolean) =>
    modelWarnings(agents, { strategy, models, isChosen })
  expect([remarks('fixed', true), remarks('escalate', false), remarks('escalate', true)]).toEqual([
    [],
    [],
    [
      'no models are known for opencode, so model.strategy escalate has no effect on it: list them in [models] or [agents.opencode]',
      'no models are known for acp:other --acp, so model.strategy escalate has no effect on it: list them in [models] or [agents."acp:other --acp"]',
    ],
  ])
})
