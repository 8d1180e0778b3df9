/** How saved states are upgraded, on made-up steps; complete states of each release are in `test/records`. */
import { expect, test } from 'vitest'
import { HOUSE_VERSION, houseFrom, type UpgradeStep } from './upgrade.ts'

const STEPS: UpgradeStep[] = [
  (house) => ({ ...house, first: true }),
  (house) => ({ ...house, second: house['first'] === true ? 'after the first' : 'alone' }),
]

test.each([
  [1, { first: true, second: 'after the first' }],
  [2, { second: 'alone' }],
  [3, {}],
])('a state of version %i goes through the steps that it lacks, in their order', (version, added) => {
  expect(houseFrom({ version, house: { run: 'r' } }, 'r', STEPS)).toEqual({ run: 'r', ...added })
})

test('refuses a state of a newer version', () => {
  expect(() => houseFrom({ version: 4, house: {} }, 'k7f3qa', STEPS)).toThrow(
    'run k7f3qa was written by a newer Ralph: its state has shape 4, this version knows up to 3',
  )
})

test('returns a state of this version unchanged', () => {
  const house = { run: { is: 'going' }, workers: {} }
  expect(houseFrom({ version: HOUSE_VERSION, house }, 'r')).toBe(house)
})
