import { describe, expect, test } from 'vitest'
import { ANTHROPIC, ANYBODY, GOOGLE, OPENAI, priceOf, type PriceList } from './prices.ts'

describe('a model is priced by the first row that knows it', () => {
  test.each<[PriceList, string, [input: number, output: number]]>([
    [ANTHROPIC, 'claude-opus-4-8[1m]', [5, 25]],
    [ANTHROPIC, 'us.anthropic.claude-opus-4-1-20250805-v1:0', [15, 75]],
    [ANTHROPIC, 'claude-opus-5-5', [4, 20]],
    [ANTHROPIC, 'claude-opus-5', [5, 25]],
    [ANTHROPIC, 'claude-sonnet-4-5@20250929', [3, 15]],
    [ANTHROPIC, 'claude-3-5-haiku-20241022', [1, 5]],
    [ANTHROPIC, 'claude-fable-5-1', [10, 50]],
    [OPENAI, 'gpt-5.3-codex', [1.75, 14]],
    [OPENAI, 'gpt-5-codex', [1.25, 10]],
    [OPENAI, 'gpt-5.1-codex-mini', [0.25, 2]],
    [OPENAI, 'gpt-5.5-pro', [30, 180]],
    [OPENAI, 'gpt-6.1-sol', [2, 10]],
    [GOOGLE, 'gemini-2.5-pro', [1.25, 10]],
    [GOOGLE, 'gemini-3-flash-preview', [0.5, 3]],
    [GOOGLE, 'gemini-3.1-flash-lite', [0.25, 1.5]],
    [ANYBODY, 'gpt-4.1', [2, 8]],
    [ANYBODY, 'claude-sonnet-5', [2, 10]],
  ])('%# %s', (list, model, [input, output]) => {
    expect(priceOf(list, model)).toMatchObject({ input, output })
  })
})

/** What no program chooses by itself: whoever wants it says its name. */
const BY_NAME_ONLY = /-pro\b/

test.each([
  ['anthropic', ANTHROPIC],
  ['openai', OPENAI],
  ['google', GOOGLE],
] as const)('a model that nobody knows costs as much as the dearest of %s', (_, list) => {
  const unknown = priceOf(list, 'something-new')
  expect(priceOf(list, null)).toEqual(unknown)
  for (const [pattern, price] of list.rows) {
    if (list === OPENAI && BY_NAME_ONLY.test(pattern.source)) continue
    for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const)
      expect(unknown?.[field], `${pattern.source} ${field}`).toBeGreaterThanOrEqual(price[field])
  }
})

test("where everybody's models are offered, an unknown one may be free: nobody can say", () => {
  expect(priceOf(ANYBODY, 'Auto')).toBeNull()
  expect(priceOf(null, 'claude-opus-5')).toBeNull()
})
