import { describe, expect, test } from 'vitest'
import { ANTHROPIC_PRICES, ANY_VENDOR_PRICES, GOOGLE_PRICES, OPENAI_PRICES, priceOf, type PriceList } from './prices.ts'

describe('a model is priced by the first row that knows it', () => {
  test.each<[PriceList, string, [input: number, output: number]]>([
    [ANTHROPIC_PRICES, 'claude-opus-4-8[1m]', [5, 25]],
    [ANTHROPIC_PRICES, 'us.anthropic.claude-opus-4-1-20250805-v1:0', [15, 75]],
    [ANTHROPIC_PRICES, 'claude-opus-5-5', [4, 20]],
    [ANTHROPIC_PRICES, 'claude-opus-5', [5, 25]],
    [ANTHROPIC_PRICES, 'claude-sonnet-4-5@20250929', [3, 15]],
    [ANTHROPIC_PRICES, 'claude-3-5-haiku-20241022', [1, 5]],
    [ANTHROPIC_PRICES, 'claude-fable-5-1', [10, 50]],
    [OPENAI_PRICES, 'gpt-5.3-codex', [1.75, 14]],
    [OPENAI_PRICES, 'gpt-5-codex', [1.25, 10]],
    [OPENAI_PRICES, 'gpt-5.1-codex-mini', [0.25, 2]],
    [OPENAI_PRICES, 'gpt-5.5-pro', [30, 180]],
    [OPENAI_PRICES, 'gpt-6.1-sol', [2, 10]],
    [GOOGLE_PRICES, 'gemini-2.5-pro', [1.25, 10]],
    [GOOGLE_PRICES, 'gemini-3-flash-preview', [0.5, 3]],
    [GOOGLE_PRICES, 'gemini-3.1-flash-lite', [0.25, 1.5]],
    [ANY_VENDOR_PRICES, 'gpt-4.1', [2, 8]],
    [ANY_VENDOR_PRICES, 'claude-sonnet-5', [2, 10]],
  ])('%# %s', (list, model, [input, output]) => {
    expect(priceOf(list, model)).toMatchObject({ input, output })
  })
})

/** What no program chooses by itself: whoever wants it says its name. */
const BY_NAME_ONLY = /-pro\b/

test.each([
  ['anthropic', ANTHROPIC_PRICES],
  ['openai', OPENAI_PRICES],
  ['google', GOOGLE_PRICES],
] as const)('a model that nobody knows costs as much as the dearest of %s', (_, list) => {
  const unknown = priceOf(list, 'something-new')
  expect(priceOf(list, null)).toEqual(unknown)
  for (const [pattern, price] of list.rows) {
    if (list === OPENAI_PRICES && BY_NAME_ONLY.test(pattern.source)) continue
    for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const)
      expect(unknown?.[field], `${pattern.source} ${field}`).toBeGreaterThanOrEqual(price[field])
  }
})

test("where everybody's models are offered, an unknown one may be free: nobody can say", () => {
  expect(priceOf(ANY_VENDOR_PRICES, 'Auto')).toBeNull()
  expect(priceOf(null, 'claude-opus-5')).toBeNull()
})
