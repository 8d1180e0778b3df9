import { expect, test } from 'vitest'
import { parseWhen } from './parse-when.ts'

const NOW = Date.parse('2027-01-01T00:00:00Z')

test.each([
  ['90m', NOW + 90 * 60_000],
  ['2h', NOW + 2 * 3_600_000],
  ['3d', NOW + 3 * 86_400_000],
  ['45 min', NOW + 45 * 60_000],
  ['2027-03-01T08:00:00Z', Date.parse('2027-03-01T08:00:00Z')],
  ['2027-03-01 08:00+02:00', Date.parse('2027-03-01T06:00:00Z')],
])('%s is a moment', (text, at) => {
  expect(parseWhen(text, NOW)).toBe(at)
})

test.each([
  '',
  '90',
  'tomorrow',
  '2027-03-01',
  '-2h',
  '2027-13-01T08:00Z',
  '2027-02-29T08:00',
  '2027-04-31T08:00:00+02:00',
  '1e3m',
  '99999999d',
])('"%s" is none, and nobody guesses', (text) => {
  expect(parseWhen(text, NOW)).toBeNull()
})
