/**
 * Public list prices, in dollars per million tokens, for vendors that report only tokens (or report cost too late). They yield an
 * estimate, never a bill: subscriptions, discounts and long-context surcharges are not included. Looked up in November 2026; the first
 * row whose pattern occurs in the model's name applies.
 */
import type { Price } from '../core/admission/price.ts'

export interface PriceList {
  rows: readonly Row[]
  /**
   * For an unknown or unnamed model: the most expensive one that the vendor's programs choose by themselves, because a limit that cannot
   * be measured must stop too early rather than too late. Null: any vendor's model is possible, so the price is unknown.
   */
  fallback: Price | null
}

type Row = readonly [model: RegExp, price: Price]

/** The price of this model's tokens; null: unknown. */
export function priceOf(list: PriceList | null, model: string | null): Price | null {
  if (list === null) return null
  const row = model === null ? undefined : list.rows.find(([pattern]) => pattern.test(model))
  return row?.[1] ?? list.fallback
}

function price(input: number, output: number, cacheRead: number, cacheWrite: number): Price {
  return { input, output, cacheRead, cacheWrite }
}

/** Cache writes are those of the five-minute cache; the one-hour cache costs 1.6 times as much. */
export const ANTHROPIC_PRICES: PriceList = {
  rows: [
    [/(?:fable|mythos)-5-1/, price(10, 50, 0.25, 12.5)],
    [/fable|mythos/, price(10, 50, 1, 12.5)],
    [/opus-5-5/, price(4, 20, 0.2, 5)],
    [/opus-(?:5|4-[5-9])/, price(5, 25, 0.5, 6.25)],
    [/opus/, price(15, 75, 1.5, 18.75)],
    [/sonnet-5/, price(2, 10, 0.2, 2.5)],
    [/sonnet/, price(3, 15, 0.3, 3.75)],
    // For prompts above 100,000 tokens; shorter ones cost a fifth.
    [/haiku-5/, price(0.5, 2.5, 0.05, 0.625)],
    [/haiku/, price(1, 5, 0.1, 1.25)],
  ],
  fallback: price(15, 75, 1.5, 18.75),
}

/** Models before 5.6 charge nothing extra for writing to the cache. */
export const OPENAI_PRICES: PriceList = {
  rows: [
    [/gpt-5[.\d]*-pro/, price(30, 180, 30, 30)],
    [/gpt-6[.\d]*-astra/, price(10, 50, 1, 12.5)],
    [/gpt-6[.\d]*-sol/, price(2, 10, 0.2, 2.5)],
    [/gpt-6[.\d]*-terra/, price(1, 5, 0.05, 1.25)],
    [/gpt-6[.\d]*-luna/, price(0.1, 0.5, 0.01, 0.125)],
    [/gpt-5\.6-terra/, price(2, 12, 0.2, 2.5)],
    [/gpt-5\.6-luna/, price(0.2, 1.2, 0.02, 0.25)],
    [/gpt-5\.6/, price(5, 30, 0.5, 6.25)],
    [/gpt-5\.5/, price(5, 30, 0.5, 5)],
    [/gpt-5\.4-nano/, price(0.2, 1.25, 0.02, 0.2)],
    [/gpt-5\.4-mini/, price(0.75, 4.5, 0.075, 0.75)],
    [/gpt-5\.4/, price(2.5, 15, 0.25, 2.5)],
    [/gpt-5[.\w-]*-mini/, price(0.25, 2, 0.025, 0.25)],
    [/gpt-5\.[23]/, price(1.75, 14, 0.175, 1.75)],
    [/gpt-5/, price(1.25, 10, 0.125, 1.25)],
    [/gpt-4\.1/, price(2, 8, 0.5, 2)],
  ],
  fallback: price(10, 50, 1, 12.5),
}

export const GOOGLE_PRICES: PriceList = {
  rows: [
    [/flash-lite/, price(0.25, 1.5, 0.025, 0.25)],
    [/gemini-3\.5-flash/, price(1.5, 9, 0.15, 1.5)],
    [/gemini-3[.\d]*-flash/, price(0.5, 3, 0.05, 0.5)],
    [/gemini-2\.5-flash/, price(0.3, 2.5, 0.03, 0.3)],
    [/gemini-2\.5-pro/, price(1.25, 10, 0.125, 1.25)],
    [/gemini-3[.\d]*-pro/, price(2, 12, 0.2, 2)],
  ],
  // Its most expensive model with more than 200,000 prompt tokens.
  fallback: price(4, 18, 0.4, 4),
}

/** For programs that offer any vendor's models: an unlisted name may be anything, even a free model. */
export const ANY_VENDOR_PRICES: PriceList = {
  rows: [...ANTHROPIC_PRICES.rows, ...OPENAI_PRICES.rows, ...GOOGLE_PRICES.rows],
  fallback: null,
}
