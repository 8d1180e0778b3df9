import { expect, test } from 'vitest'
import { checkModelStrategy } from './model-strategy.ts'
import { settingsErrorOf, settingsOf, type SettingsFixture } from '../../test/kit/config.ts'

const RUST = '[execution]\nmax_retries = 2\n'
const OURS = '[model]\nstrategy = "escalate"\n'

test.each<[string, SettingsFixture, string]>([
  ['nobody says anything', {}, 'fixed'],
  ['a model alone', { flags: { model: 'opus' } }, 'fixed'],
  ['a project of the Rust tool', { files: { '.ralph.toml': RUST } }, 'cost-optimized'],
  ['the same with a model', { files: { '.ralph.toml': RUST }, env: { RALPH_MODEL: 'opus' } }, 'fixed'],
  ['a file', { files: { '.ralph.toml': OURS } }, 'escalate'],
  ['a variable', { env: { RALPH_MODEL_STRATEGY: 'plan-then-execute' } }, 'plan-then-execute'],
  [
    'a flag before a variable',
    { flags: { 'model-strategy': 'escalate' }, env: { RALPH_MODEL_STRATEGY: 'plan-then-execute' } },
    'escalate',
  ],
  ['an empty variable', { env: { RALPH_MODEL_STRATEGY: '' } }, 'fixed'],
  ['fixed in a file, without a model', { files: { '.ralph.toml': '[model]\nstrategy = "fixed"\n' } }, 'fixed'],
])('%s', async (_, place, strategy) => {
  const settings = await settingsOf(place)
  checkModelStrategy(settings)
  expect([settings.rules().model.strategy, settings.remarks]).toEqual([strategy, []])
})

test('a model that is said in a stronger place is the model for all', async () => {
  const settings = await settingsOf({ files: { '.ralph.toml': OURS }, flags: { model: 'opus' } })
  expect([settings.rules().model.strategy, settings.remarks]).toEqual([
    'fixed',
    ['flag --model sets the model opus, so Ralph ignores the model strategy escalate (.ralph.toml:2 model.strategy)'],
  ])
})

test('beside a strategy of the same place or a stronger one, a model is not used', async () => {
  const both = await settingsOf({ flags: { model: 'opus', 'model-strategy': 'escalate' } })
  expect([both.rules().model.strategy, both.rules().agent.model, both.remarks]).toEqual([
    'escalate',
    'opus',
    ['flag --model-strategy sets the model strategy escalate, so Ralph ignores the model opus (flag --model)'],
  ])
})

test.each<[string, SettingsFixture, string]>([
  ['by flag', { flags: { 'model-strategy': 'fixed' } }, '--model-strategy'],
  ['by variable', { env: { RALPH_MODEL_STRATEGY: 'fixed' } }, 'environment variable RALPH_MODEL_STRATEGY'],
])('fixed %s needs a model', async (_, place, where) => {
  const settings = await settingsOf(place)
  expect(() => checkModelStrategy(settings)).toThrow(`${where}: found "fixed", which needs a model: --model NAME`)
})

test('a strategy that nobody knows is refused', async () => {
  expect((await settingsErrorOf({ flags: { 'model-strategy': 'cheapest' } })).message).toBe(
    '--model-strategy: found "cheapest", expected "fixed" or "cost-optimized" or "escalate" or "plan-then-execute", or "auto"',
  )
})

test('models are named for all agents and for one, the stronger file first', async () => {
  const settings = await settingsOf({
    files: {
      '.ralph.toml': '[models]\nlight = "small"\n[agents.codex]\nmodels = { light = "mini" }\n',
      '~/.config/ralph/config.toml': '[agents.codex]\nmodels = { light = "tiny", strong = "max" }\n',
    },
  })
  expect([settings.values['models.light'], settings.models, settings.programs]).toEqual([
    'small',
    { codex: { light: 'mini', strong: 'max' } },
    {},
  ])
})

test('also for one that is named by its command line', async () => {
  const text = '[agents."acp:gemini --acp"]\nmodels = { light = "flash" }\n'
  expect((await settingsOf({ files: { '.ralph.toml': text } })).models).toEqual({
    'acp:gemini --acp': { light: 'flash' },
  })
})

test.each<[string, string]>([
  ['[agents."acp:x"]\ncommand = ["y"]\n', '.ralph.toml:2: agents.acp:x.command: unknown key'],
  [
    '[agents.codex]\nmodels = { light = " " }\n',
    `.ralph.toml:2: agents.codex.models.light: found " ", expected a name that doesn't start with a dash`,
  ],
  [
    '[agents.codex]\nmodels = { weak = "mini" }\n',
    '.ralph.toml:2: agents.codex.models.weak: the tiers are light, medium, strong',
  ],
  [
    '[agents.codex]\nmodels = { light = "--yolo" }\n',
    `.ralph.toml:2: agents.codex.models.light: found "--yolo", expected a name that doesn't start with a dash`,
  ],
  [
    '[models]\nlight = "--yolo"\n',
    `.ralph.toml:2: models.light: found "--yolo", expected a word that doesn't start with a dash`,
  ],
])('%j is refused', async (text, message) => {
  expect((await settingsErrorOf({ files: { '.ralph.toml': text } })).message).toBe(message)
})
