/** A moment as somebody types it: a date with its time, or so long from now. */
import type { Instant } from '../ids.ts'
import { parseValue } from '../text/value-kind.ts'

/** A date without a time would be another moment in each place. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i
const SO_LONG = /^\d+ ?(?:s|m|min|h|d)$/

export const WHEN_FORMAT = '2027-03-01T08:00, or so long from now: 90m, 2h, 3d'

/** Null: it is none. Without a zone it is the time of the person who types. */
export function parseWhen(text: string, now: Instant): Instant | null {
  if (!SO_LONG.test(text)) return parseDateTime(text)
  const length = parseValue({ is: 'duration', unit: 'm', min: 0 }, text.replace(' ', ''), 'words')
  if (!length.ok || typeof length.value !== 'number') return null
  return isInstantInRange(now + length.value) ? now + length.value : null
}

/** A date with its time. Of a day that no calendar has, the parser makes one of the next month. */
export function parseDateTime(text: string): Instant | null {
  if (!DATE_TIME.test(text)) return null
  const day = text.slice(0, 10)
  const isDay = new Date(Date.parse(day)).toJSON()?.startsWith(day) === true
  const at = Date.parse(text)
  return isDay && isInstantInRange(at) ? at : null
}

/** The last moment of the year 9999: what is later has no date of the usual length. */
const LATEST = 253_402_300_799_999

export function isInstantInRange(at: number): boolean {
  return Number.isSafeInteger(at) && at >= 0 && at <= LATEST
}
