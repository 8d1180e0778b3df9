/** What tokens cost where the vendor does not say: an estimate, and marked as one. */
import type { Usage } from '../calls/agent-io.ts'

/** Dollars per million tokens. */
export interface Price {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** The usage with what it costs by this price. A vendor's own figure is left alone, and what has no tokens has no cost. */
export function withEstimatedCost(usage: Usage, price: Price | null): Usage {
  if (price === null || usage.usd !== undefined) return usage
  const { input, output, cacheRead, cacheWrite } = usage
  if ([input, output, cacheRead, cacheWrite].every((tokens) => tokens === undefined)) return usage
  // Reasoning is a part of the output.
  const micros =
    (input ?? 0) * price.input +
    (output ?? 0) * price.output +
    (cacheRead ?? 0) * price.cacheRead +
    (cacheWrite ?? 0) * price.cacheWrite
  return { ...usage, usd: micros / 1_000_000, estimated: true }
}
