import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  describeAllowedValues,
  HOUR,
  MINUTE,
  parseValue,
  formatDuration,
  formatValue,
  splitList,
  type ValueKind,
} from './value-kind.ts'

const COUNT: ValueKind = { is: 'integer', min: 0 }
const PERCENT: ValueKind = { is: 'integer', min: 0, max: 100 }
const MONEY: ValueKind = { is: 'number', min: 0.01, or: 'none' }
const SWITCH: ValueKind = { is: 'boolean' }
const TEXT: ValueKind = { is: 'text', or: 'default' }
const LIST: ValueKind = { is: 'list' }
const CHOICE: ValueKind = { is: 'choice', of: ['json', 'text'] }
const MINUTES: ValueKind = { is: 'duration', unit: 'm', min: 0 }
const SECONDS: ValueKind = { is: 'duration', unit: 's', min: 1, max: HOUR }

describe('values that are read', () => {
  test.each<[ValueKind, unknown, 'data' | 'words', unknown]>([
    [COUNT, 7, 'data', 7],
    [COUNT, '7', 'words', 7],
    [COUNT, ' 7 ', 'words', 7],
    [PERCENT, 100, 'data', 100],
    [MONEY, 2.5, 'data', 2.5],
    [MONEY, '2.5', 'words', 2.5],
    [MONEY, 'none', 'data', null],
    [MONEY, 'none', 'words', null],
    [SWITCH, false, 'data', false],
    [SWITCH, true, 'words', true],
    [SWITCH, 'YES', 'words', true],
    [SWITCH, 'on', 'words', true],
    [SWITCH, '1', 'words', true],
    [SWITCH, 'false', 'words', false],
    [SWITCH, 'off', 'words', false],
    [SWITCH, '0', 'words', false],
    [TEXT, 'opus', 'data', 'opus'],
    [TEXT, 'default', 'words', null],
    [LIST, ['a', 'b'], 'data', ['a', 'b']],
    [LIST, 'a, b', 'data', ['a', 'b']],
    [LIST, 'a,Bash(git log, *),,c', 'words', ['a', 'Bash(git log, *)', 'c']],
    [LIST, [], 'data', []],
    [CHOICE, 'text', 'words', 'text'],
    [MINUTES, 15, 'data', 15 * MINUTE],
    [MINUTES, '15', 'words', 15 * MINUTE],
    [MINUTES, 0.5, 'data', 30_000],
    [MINUTES, '90s', 'data', 90_000],
    [MINUTES, '2h', 'words', 2 * HOUR],
    [MINUTES, '1h 30m', 'data', 90 * MINUTE],
    [MINUTES, '1h30min', 'data', 90 * MINUTE],
    [MINUTES, '300ms', 'data', 300],
    [MINUTES, '1.5h', 'data', 90 * MINUTE],
    [MINUTES, 0, 'data', 0],
    [SECONDS, 10, 'data', 10_000],
  ])('%j: %j as %s is %j', (kind, raw, as, value) => {
    expect(parseValue(kind, raw, as)).toEqual({ ok: true, value })
  })
})

describe('values that are refused, with what was found and what is expected', () => {
  test.each<[ValueKind, unknown, 'data' | 'words', string]>([
    [COUNT, -1, 'data', 'found -1, expected a whole number of at least 0'],
    [COUNT, 1.5, 'data', 'found 1.5, expected a whole number of at least 0'],
    [COUNT, '7', 'data', 'found "7", expected a whole number of at least 0'],
    [COUNT, 'many', 'words', 'found "many", expected a whole number of at least 0'],
    [COUNT, '0x10', 'words', 'found "0x10", expected a whole number of at least 0'],
    [COUNT, '', 'words', 'found "", expected a whole number of at least 0'],
    [COUNT, 2 ** 60, 'data', `found ${2 ** 60}, expected a whole number of at least 0`],
    [COUNT, true, 'words', 'found true, expected a whole number of at least 0'],
    [PERCENT, 101, 'data', 'found 101, expected a whole number from 0 to 100'],
    [MONEY, 0, 'data', 'found 0, expected a number of at least 0.01, or "none"'],
    [MONEY, Infinity, 'data', 'found null, expected a number of at least 0.01, or "none"'],
    [SWITCH, 'true', 'data', 'found "true", expected true or false'],
    [SWITCH, 'perhaps', 'words', 'found "perhaps", expected true or false'],
    [TEXT, '  ', 'words', 'found "  ", expected a text that is not empty, or "default"'],
    [LIST, [1], 'data', 'found [1], expected a list of texts'],
    [LIST, { a: 1 }, 'data', 'found a table, expected a list of texts'],
    [CHOICE, 'JSON', 'words', 'found "JSON", expected "json" or "text"'],
    [
      MINUTES,
      '10 potatoes',
      'data',
      'found "10 potatoes", expected a number of minutes or a text like "90s", "10m" or "2h", of at least 0',
    ],
    [
      SECONDS,
      '2h',
      'words',
      'found "2h", expected a number of seconds or a text like "90s", "10m" or "2h", from 1ms to 1h',
    ],
    [
      MINUTES,
      '15',
      'data',
      'found "15", expected a number of minutes or a text like "90s", "10m" or "2h", of at least 0',
    ],
  ])('%j: %j as %s', (kind, raw, as, problem) => {
    expect(parseValue(kind, raw, as)).toEqual({ ok: false, problem })
  })

  test('what was found is cut to one line', () => {
    const reading = parseValue(COUNT, 'x'.repeat(500), 'words')
    expect(reading).toEqual({
      ok: false,
      problem: `found "${'x'.repeat(78)}…, expected a whole number of at least 0`,
    })
  })
})

test.each([
  [0, '0'],
  [300, '300ms'],
  [90_000, '90s'],
  [15 * MINUTE, '15m'],
  [24 * HOUR, '24h'],
])('%i ms is said %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('a duration that is said is read as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (ms) => {
      expect(parseValue(MINUTES, formatDuration(ms), 'words')).toEqual({ ok: true, value: ms })
    }),
  )
})

test.each<[ValueKind, Parameters<typeof formatValue>[1], string]>([
  [MONEY, null, 'none'],
  [MINUTES, 90_000, '90s'],
  [LIST, ['a', 'b'], 'a, b'],
  [SWITCH, true, 'true'],
])('%j: %j is said %s', (kind, value, text) => {
  expect(formatValue(kind, value)).toBe(text)
})

test('a list is split at commas, but not inside brackets', () => {
  expect(splitList(' Write , Bash(a,b(c,d)) ,, Read)x,y ')).toEqual(['Write', 'Bash(a,b(c,d))', 'Read)x', 'y'])
})

test('what is allowed names the word for nothing', () => {
  expect(describeAllowedValues(TEXT)).toBe('a text that is not empty, or "default"')
})

test('no value makes a reader throw', () => {
  const kinds = [COUNT, PERCENT, MONEY, SWITCH, TEXT, LIST, CHOICE, MINUTES, SECONDS]
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.anything(), fc.constantFrom('data', 'words'), (kind, raw, as) => {
      const reading = parseValue(kind, raw, as)
      expect(reading.ok || reading.problem.startsWith('found ')).toBe(true)
    }),
  )
})
