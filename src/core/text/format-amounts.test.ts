import { expect, test } from 'vitest'
import {
  formatElapsed,
  formatDollars,
  formatCompact,
  formatSpan,
  formatSpentCell,
  describeSpent,
} from './format-amounts.ts'

test.each([
  [0, '$0.00'],
  [0.0001, '<$0.01'],
  [0.0049, '<$0.01'],
  [0.0075, '$0.01'],
  [0.05, '$0.05'],
  [0.099, '$0.10'],
  [0.125, '$0.13'],
  [12, '$12.00'],
])('%d dollars are %s', (usd, words) => {
  expect(formatDollars(usd)).toBe(words)
})

test('an estimate has its mark', () => {
  expect([formatDollars(0.25, { estimated: 1 }), formatDollars(0.25, { estimated: 0 })]).toEqual(['~$0.25', '$0.25'])
})

test('what nobody told is said, in a sentence and in a column', () => {
  expect(describeSpent({ usd: 0.25, tokens: 1650, unknown: 2, estimated: 1 })).toEqual([
    '~$0.25',
    '1.7k tokens',
    'cost of 2 calls unknown',
  ])
  expect(describeSpent({ usd: 0, tokens: 0, unknown: 0, estimated: 0 })).toEqual([])
  expect(formatSpentCell({ usd: 0.25, unknown: 1, estimated: 0 }, 3)).toBe('$0.25+?')
  expect(formatSpentCell({ usd: 0, unknown: 3, estimated: 0 }, 3)).toBe('?')
  expect(formatSpentCell({ usd: 0, unknown: 0, estimated: 0 }, 0)).toBe('$0.00')
})

test('times and numbers', () => {
  expect([formatElapsed(42_000), formatElapsed(725_000), formatElapsed(10_810_000)]).toEqual([
    '0:42',
    '12:05',
    '3:00:10',
  ])
  expect([formatSpan(300), formatSpan(1_200), formatSpan(42_000), formatSpan(270_000), formatSpan(7_200_000)]).toEqual([
    '300 ms',
    '1.2 s',
    '42 s',
    '4.5 min',
    '2 h',
  ])
  expect([formatCompact(950), formatCompact(4_100), formatCompact(2_300_000)]).toEqual(['950', '4.1k', '2.3M'])
})
