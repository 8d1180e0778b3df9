import { expect, test } from 'vitest'
import type { Usage } from './agent-io.ts'
import { addToSpent, formatCost, NOTHING_SPENT } from './spending.ts'

test.each<[usage: Usage | null, said: string]>([
  [null, 'cost unknown'],
  [{}, 'cost unknown'],
  [{ input: 0, output: 0 }, 'cost unknown'],
  [{ usd: 0.5 }, '$0.50'],
  [{ usd: 0 }, '$0.00'],
  [{ input: 900, output: 100 }, '1k tokens'],
  [{ input: 1 }, '1 tokens'],
  [{ usd: 0.5, input: 900, output: 100 }, '$0.50 · 1k tokens'],
])('%j: %s', (usage, said) => {
  expect(formatCost(usage)).toBe(said)
})

test('what is spent adds up, and what nobody told is counted', () => {
  const some: (Usage | null)[] = [
    { usd: 0.5, input: 10, output: 5 },
    null,
    { usd: 0.25, estimated: true },
    { input: 7 },
  ]
  expect(some.reduce(addToSpent, NOTHING_SPENT)).toEqual({ usd: 0.75, tokens: 22, unknown: 2, estimated: 1 })
})
