/** Parses durations: "1 day 3 hours", "2h 5m", "1d3h", "an hour", "34.07s", "5 minutes and 10 seconds", "34074.8ms". */
import type { Millis } from '../../core/ids.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../core/text/value-kind.ts'

/** The first match counts; `m` means minutes, because no vendor abbreviates months to one letter. */
const UNITS: [RegExp, Millis][] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, SECOND],
  [/^(?:m|mins?|minutes?)$/, MINUTE],
  [/^(?:h|hrs?|hours?)$/, HOUR],
  [/^(?:d|days?)$/, DAY],
  [/^(?:w|wks?|weeks?)$/, 7 * DAY],
  [/^(?:mo|mos|months?)$/, 30 * DAY],
]

const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  'half an': 0.5,
  'half a': 0.5,
}

const PART =
  /(\d+(?:\.\d+)?|half an?|an?|one|two|three|four|five|six|seven)[\s-]*([a-z]+)(?![a-z])(?:[\s,]+(?:and\s+)?(?=\d|an?\b)|(?=\d))?/iy

/** The duration at the beginning of the text; null: none. */
export function parseLeadingDuration(text: string): Millis | null {
  let total = 0
  let found = false
  for (PART.lastIndex = 0; ;) {
    const part = PART.exec(text)
    const size = part === null ? undefined : unitOf(part[2] ?? '')
    if (part === null || size === undefined) break
    const count = part[1]?.toLowerCase() ?? ''
    total += (NUMBERS[count] ?? Number(count)) * size
    found = true
  }
  return found && total > 0 ? total : null
}

function unitOf(word: string): Millis | undefined {
  return UNITS.find(([spelling]) => spelling.test(word.toLowerCase()))?.[1]
}
