/** Times in the formats of the older tools' files: UTC to the second for programs, local for people. */
import type { Instant } from '../core/ids.ts'
import { twoDigits } from './clock.ts'

/** `2027-03-28T01:30:00+00:00`. */
export function formatUtcDateTime(at: Instant): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '1970-01-01T00:00:00+00:00' : `${date.toISOString().slice(0, 19)}+00:00`
}

/** `2027-03-28 03:30:00` in the local zone. */
export function formatLocalDateTime(at: Instant): string {
  const date = new Date(at)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`
}

/** Parses a written instant; null if it is not one. */
export function parseTime(text: string): Instant | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
