/** Money, times and counts as people read them: one notation on every screen, in the report and in the sentences of the record. */
import type { Millis } from '../ids.ts'
import type { SpentTotals } from '../calls/spending.ts'

/**
 * `$0.50`, `~$1.20`, always with two decimals; `~` marks a sum that is partly an estimate. Less than half a cent is `<$0.01`.
 */
export function formatDollars(usd: number, of: { estimated?: number | boolean } = {}): string {
  const amount = usd > 0 && usd < LEAST ? '<$0.01' : `$${usd.toFixed(2)}`
  return `${of.estimated ? '~' : ''}${amount}`
}

/** Less would be rounded to zero. */
const LEAST = 0.005

/** A cost in parts: the money, the tokens, and how many calls have an unknown cost. */
export function describeSpent({ usd, tokens, unknown, estimated }: SpentTotals): string[] {
  const parts = [
    usd > 0 ? formatDollars(usd, { estimated }) : null,
    tokens > 0 ? `${formatCompact(tokens)} tokens` : null,
    unknown > 0 ? `cost of ${plural(unknown, 'call')} unknown` : null,
  ]
  return parts.filter((part) => part !== null)
}

/** The same in a column: `?` if unknown, `+?` after a sum that lacks unknown costs. */
export function formatSpentCell({ usd, unknown, estimated }: Omit<SpentTotals, 'tokens'>, calls: number): string {
  if (calls > 0 && unknown >= calls) return '?'
  return `${formatDollars(usd, { estimated })}${unknown > 0 ? '+?' : ''}`
}

/** `0:42`, `12:05`, `3:00:10`. */
export function formatElapsed(ms: Millis): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** A short duration, or one from the settings: `300 ms`, `1.2 s`, `4 min`, `2 h`. */
export function formatSpan(ms: Millis): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${trim(ms / 60_000)} min`
  return `${trim(ms / 3_600_000)} h`
}

/** `950`, `4.1k`, `2.3M`. */
export function formatCompact(n: number): string {
  if (n < 1_000) return String(n)
  if (n < 1_000_000) return `${trim(n / 1_000)}k`
  return `${trim(n / 1_000_000)}M`
}

function trim(n: number): string {
  return String(Math.round(n * 10) / 10)
}

/** `a, b and 3 more`. */
export function listWithMore(named: readonly string[], more: number): string {
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** In whole units, never zero: `40 MB`. */
export function formatSize(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / 1024 / 1024)} MB`
}
