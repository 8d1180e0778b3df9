/** How saved states are upgraded, on made-up steps; complete states of each release are in `test/records`. */
import { expect, test } from 'vitest'
import { STATE_VERSION, upgradeState, type UpgradeStep } from './upgrade.ts'

const STEPS: UpgradeStep[] = [
  (state) => ({ ...state, first: true }),
  (state) => ({ ...state, second: state['first'] === true ? 'after the first' : 'alone' }),
]

test.each([
  [1, { first: true, second: 'after the first' }],
  [2, { second: 'alone' }],
  [3, {}],
])('a state of version %i goes through the steps that it lacks, in their order', (version, added) => {
  expect(upgradeState({ version, state: { run: 'r' } }, 'r', STEPS)).toEqual({ run: 'r', ...added })
})

test('refuses a state of a newer version', () => {
  expect(() => upgradeState({ version: 4, state: {} }, 'k7f3qa', STEPS)).toThrow(
    'run k7f3qa was written by a newer Ralph: its state has shape 4, this version knows up to 3',
  )
})

test('returns a state of this version unchanged', () => {
  const state = { run: { is: 'going' }, workers: {} }
  expect(upgradeState({ version: STATE_VERSION, state }, 'r')).toBe(state)
})
