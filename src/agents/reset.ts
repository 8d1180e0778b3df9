/**
 * When a limit opens again, read from the vendor's words: "resets 9pm", "resets 3am (Europe/Berlin)", "try again at
 * Oct 21st, 2026 3:05 PM", "try again in 2 hours 5 minutes", "Retry-After: 30", an ISO time, or seconds since 1970.
 * Pure: the present instant and the local zone are given.
 */
import type { AgentEvent } from '../domain/agent.ts'
import type { Instant } from '../domain/ids.ts'

export interface Here {
  at: Instant
  /** Minutes east of UTC. */
  zone: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest limits are weekly. A time further away is a number that was no time. */
const FURTHEST = 8 * DAY

/** The event with the reset time its words give. A time the driver knew stays, if it can be one. */
export function resolveReset(event: AgentEvent, here: Here): AgentEvent {
  if (event.type !== 'limited') return event
  const { resetsAt: told, ...rest } = event
  const resetsAt = (told === undefined ? null : toldInstant(told, here.at)) ?? resetTime(event.message, here)
  return resetsAt === null ? rest : { ...rest, resetsAt }
}

/** A vendor's own field may lie in the past by the time it is read: then the limit is over. Words are not trusted that far. */
function toldInstant(instant: Instant, at: Instant): Instant | null {
  return Math.abs(instant - at) <= FURTHEST ? Math.round(instant) : null
}

export function resetTime(text: string, here: Here): Instant | null {
  for (const read of [epoch, iso, retryAfter, duration, wallClock]) {
    const instant = read(text, here)
    const found = instant === null ? null : plausible(instant, here.at)
    if (found !== null) return found
  }
  return null
}

function plausible(instant: Instant, at: Instant): Instant | null {
  return instant > at && instant <= at + FURTHEST ? Math.round(instant) : null
}

/** `usage limit reached|1765432100`, in seconds or milliseconds. */
function epoch(text: string): Instant | null {
  const digits = /(?<![\d.])([12]\d{9})(\d{3})?(?![\d.])/.exec(text)
  if (digits === null) return null
  return digits[2] === undefined ? Number(digits[1]) * SECOND : Number(digits[0])
}

function iso(text: string, here: Here): Instant | null {
  const found = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?/i.exec(text)
  if (found === null) return null
  const wall = Date.parse(`${found[1]}T${found[2]}Z`)
  if (Number.isNaN(wall)) return null
  const zone = found[3]
  if (zone === undefined) return wall - here.zone * MINUTE
  const offset = /([+-])(\d\d):?(\d\d)/.exec(zone)
  if (offset === null) return wall
  const minutes = Number(offset[2]) * 60 + Number(offset[3])
  return wall - (offset[1] === '-' ? -minutes : minutes) * MINUTE
}

function retryAfter(text: string, here: Here): Instant | null {
  const found =
    /retry[-_ ]?after["']?\s*[:=]?\s*["']?(?:(\d+(?:\.\d+)?)\s*(ms)?|(\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT))/i.exec(
      text,
    )
  if (found === null) return null
  if (found[1] !== undefined) return here.at + Number(found[1]) * (found[2] === undefined ? SECOND : 1)
  const date = Date.parse(found[3] ?? '')
  return Number.isNaN(date) ? null : date
}

const UNITS: [RegExp, number][] = [
  [/(\d+(?:\.\d+)?) ?(?:d|days?)\b/i, DAY],
  [/(\d+(?:\.\d+)?) ?(?:h|hrs?|hours?)(?=\b|\d)/i, HOUR],
  [/(\d+(?:\.\d+)?) ?(?:m|mins?|minutes?)(?=\b|\d)/i, MINUTE],
  [/(\d+(?:\.\d+)?) ?(?:s|secs?|seconds?)\b/i, SECOND],
  [/(\d+(?:\.\d+)?) ?(?:ms|milliseconds?)\b/i, 1],
]

/** `in 2 hours 5 minutes`, `in 3h12m5s`, `in 34.07s`. */
function duration(text: string, here: Here): Instant | null {
  const words =
    /\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s?(?:milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?=[\s,.;)\d]|$)[\s,]*(?:and\s+)?)+)/i.exec(
      text,
    )?.[1]
  if (words === undefined) return null
  let ms = 0
  for (const [unit, size] of UNITS) ms += Number(unit.exec(words)?.[1] ?? 0) * size
  return ms === 0 ? null : here.at + ms
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const ANCHOR = String.raw`(?:resets?|try again|retry|available(?: again)?|renews?|back)\b(?:\s+(?:at|on|by|after))?\s*:?\s*`
const DAY_WORD = String.raw`(?:(?<month>[A-Z][a-z]{2})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?|(?<weekday>(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*)|(?<tomorrow>tomorrow))`
const CLOCK = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?::\d\d)?\s*(?<half>[ap]\.?m\b\.?)?`
const ZONE = String.raw`(?:\s*\(?(?<zone>[A-Z][A-Za-z_]+\/[A-Za-z_/+-]+|UTC|GMT)\)?)?`
const WALL = new RegExp(`${ANCHOR}(?:${DAY_WORD},?\\s+(?:at\\s+)?)?${CLOCK}${ZONE}`, 'i')

/** Words of a clock on a wall, taken as the next such moment in the zone named or, without one, in ours. */
function wallClock(text: string, here: Here): Instant | null {
  const words = WALL.exec(text)?.groups
  if (words === undefined) return null
  const clock = clockOf(words)
  if (clock === null) return null
  const offset = (instant: Instant): number => offsetOf(words['zone'], instant) ?? here.zone
  /** The instant at which the calendar there shows this many milliseconds. */
  const instantOf = (wall: number): Instant => wall - offset(wall - offset(wall) * MINUTE) * MINUTE
  const now = here.at + offset(here.at) * MINUTE
  const midnight = now - (now % DAY)
  if (words['month'] !== undefined) {
    const month = MONTHS.indexOf(words['month'].toLowerCase())
    if (month < 0) return null
    const year = Number(words['year'] ?? yearOf(now))
    const wall = Date.UTC(year, month, Number(words['day'])) + clock
    // "Resets Jan 2" said in December is next year's.
    return instantOf(
      words['year'] === undefined && wall < now - DAY
        ? Date.UTC(year + 1, month, Number(words['day'])) + clock
        : wall,
    )
  }
  if (words['tomorrow'] !== undefined) return instantOf(midnight + DAY + clock)
  const first = words['weekday'] === undefined ? 0 : daysUntil(words['weekday'], midnight)
  const wall = midnight + first * DAY + clock
  return instantOf(wall > now ? wall : wall + (words['weekday'] === undefined ? DAY : 7 * DAY))
}

/** Milliseconds since midnight. A bare number without minutes or am/pm is no time of day. */
function clockOf(words: Record<string, string | undefined>): number | null {
  const hour = Number(words['hour'])
  const minute = Number(words['minute'] ?? 0)
  const half = words['half']?.toLowerCase()[0]
  if (half === undefined && words['minute'] === undefined) return null
  if (minute > 59 || hour > (half === undefined ? 23 : 12) || (half !== undefined && hour === 0)) return null
  const hours = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0)
  return hours * HOUR + minute * MINUTE
}

function daysUntil(weekday: string, midnight: number): number {
  // 1 January 1970 was a Thursday.
  const today = (Math.floor(midnight / DAY) + 4) % 7
  return (WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase()) - today + 7) % 7
}

function yearOf(wall: number): number {
  return new Date(wall).getUTCFullYear()
}

/** Minutes east of UTC that a named zone has at an instant; undefined: no zone given or one nobody knows. */
function offsetOf(zone: string | undefined, instant: Instant): number | undefined {
  if (zone === undefined) return undefined
  if (/^(?:utc|gmt)$/i.test(zone)) return 0
  try {
    const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(instant)
      .find((part) => part.type === 'timeZoneName')?.value
    const found = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(name ?? '')
    if (found === null) return undefined
    const minutes = Number(found[2] ?? 0) * 60 + Number(found[3] ?? 0)
    return found[1] === '-' ? -minutes : minutes
  } catch {
    return undefined
  }
}
