/** A moment as somebody types it: a date with its time, or so long from now. */
import type { Instant } from '../ids.ts'
import { readValue } from '../text/kind.ts'

/** A date without a time would be another moment in each place. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i
const SO_LONG = /^\d+ ?(?:s|m|min|h|d)$/

export const WHEN = '2027-03-01T08:00, or so long from now: 90m, 2h, 3d'

/** Null: it is none. Without a zone it is the time of the person who types. */
export function readWhen(text: string, now: Instant): Instant | null {
  if (SO_LONG.test(text)) {
    const length = readValue({ is: 'duration', unit: 'm', min: 0 }, text.replace(' ', ''), 'words')
    return length.ok && typeof length.value === 'number' ? now + length.value : null
  }
  const at = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : at
}
