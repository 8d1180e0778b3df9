import { expect, test } from 'vitest'
import { editDistance, suggest } from './suggest.ts'

const WORDS = ['quota.calls_per_hour', 'loop.pause', 'claude', 'codex', 'run']

test.each([
  ['quota.call_per_hour', 'quota.calls_per_hour'],
  ['loop.puase', 'loop.pause'],
  ['Claude', 'claude'],
  ['cladue', 'claude'],
  ['runs', 'run'],
  ['ru', 'run'],
  ['gemini', null],
  ['xyz', null],
  ['', null],
])('%s was meant to be %s', (word, meant) => {
  expect(suggest(word, WORDS)).toBe(meant)
})

test('among several near words the nearest is meant', () => {
  expect(suggest('budget.token', ['budget.usd', 'budget.tokens', 'budget.minutes'])).toBe('budget.tokens')
})

test('without words there is nothing to suggest', () => {
  expect(suggest('anything', [])).toBe(null)
})

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
  ['same', 'same', 0],
])('from %j to %j are %i slips', (a, b, slips) => {
  expect(editDistance(a, b)).toBe(slips)
})
