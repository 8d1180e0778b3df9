/** Parses a moment that a person types: a date with its time, or a duration from now. */
import type { Instant } from '../ids.ts'
import { parseValue } from '../text/value-kind.ts'

/** A date without a time would mean a different moment in each time zone. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i
const SO_LONG = /^\d+ ?(?:s|m|min|h|d)$/

export const WHEN_FORMAT = 'a date such as 2027-03-01T08:00, or a delay such as 90m, 2h or 3d'

/** Null: not a moment. Without a zone it is local time. */
export function parseWhen(text: string, now: Instant): Instant | null {
  if (!SO_LONG.test(text)) return parseDateTime(text)
  const length = parseValue({ is: 'duration', unit: 'm', min: 0 }, text.replace(' ', ''), 'words')
  if (!length.ok || typeof length.value !== 'number') return null
  return isInstantInRange(now + length.value) ? now + length.value : null
}

/** A date with its time. JavaScript's parser turns an impossible day into one of the next month, so that is checked. */
export function parseDateTime(text: string): Instant | null {
  if (!DATE_TIME.test(text)) return null
  const day = text.slice(0, 10)
  const isDay = new Date(Date.parse(day)).toJSON()?.startsWith(day) === true
  const at = Date.parse(text)
  return isDay && isInstantInRange(at) ? at : null
}

/** The last moment of the year 9999: later dates need more digits. */
const LATEST = 253_402_300_799_999

export function isInstantInRange(at: number): boolean {
  return Number.isSafeInteger(at) && at >= 0 && at <= LATEST
}
