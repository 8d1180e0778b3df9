/** Numbers as people read them. */
import type { Usage } from '../../domain/agent.ts'
import type { Instant, Millis } from '../../domain/ids.ts'
import { tokensOf } from '../../domain/loop/budget.ts'
import { isSoon, waitWords, type Reader, type Waiting } from '../../domain/wait-words.ts'

/** `0:42`, `12:05`, `3:00:10`. */
export function clockTime(ms: Millis): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** `2027-03-28 03:30:00` in the zone of the person who looks. */
export function localStamp(at: Instant): string {
  const date = new Date(at)
  const two = (n: number): string => String(n).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** What is left of a wait, counting down where that says something: `waits 12:05: why`. */
export function waitLeft(wait: Waiting, reader: Reader): string {
  if (wait.outage !== undefined || !isSoon(wait.until, reader.now)) return waitWords(wait, reader)
  return `waits ${clockTime(wait.until - reader.now)}: ${wait.why}`
}

/** `300 ms`, `1.2 s`, `4 min`, `2 h`. */
export function span(ms: Millis): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${trim(ms / 60_000)} min`
  return `${trim(ms / 3_600_000)} h`
}

function trim(n: number): string {
  return String(Math.round(n * 10) / 10)
}

/** `950`, `4.1k`, `2.3M`. */
export function short(n: number): string {
  if (n < 1_000) return String(n)
  if (n < 1_000_000) return `${trim(n / 1_000)}k`
  return `${trim(n / 1_000_000)}M`
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** What an iteration cost, as far as anybody told. */
export function cost(usage: Usage | null): string {
  if (usage === null) return 'cost unknown'
  const tokens = tokensOf(usage)
  const parts = [
    usage.usd === undefined ? null : dollars(usage.usd, usage),
    tokens > 0 ? `${short(tokens)} tokens` : null,
  ]
  return parts.filter((part) => part !== null).join(' · ') || 'cost unknown'
}

/** `$0.50`, `~$0.012`: with a mark where a part of it is an estimate. */
export function dollars(usd: number, of: { estimated?: number | boolean } = {}): string {
  return `${of.estimated ? '~' : ''}$${usd.toFixed(usd < 0.1 && usd > 0 ? 3 : 2)}`
}
