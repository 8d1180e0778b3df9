/**
 * Parses moments: "9pm", "Dec 1 at 9am", "1 December 2026, 09:00 CET", "Thursday", "tomorrow at 8am", "midnight PT", "the 1st", "next
 * month", "2026-12-01 00:00 UTC". A day without a time means its first minute, in the named zone or the local one.
 */
import type { Instant } from '../../core/ids.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../core/text/value-kind.ts'
import { isTimeZone, utcOffsetOf } from './time-zone.ts'

/** A reset time at most this far in the past counts as just over. */
export const RESET_TOLERANCE = 10 * 60_000

type Day =
  | { is: 'date'; month: number; day: number; year: number | null }
  | { is: 'weekday'; weekday: number }
  | { is: 'tomorrow' }
  /** Of this month, or of the next if it has passed. */
  | { is: 'day'; day: number }
  | { is: 'next-month' }

interface Moment {
  day: Day | null
  /** Milliseconds since midnight. */
  clock: number | null
  zone: string | null
}

/** The next moment that matches the beginning of the text; null: none. */
export function parseLeadingMoment(text: string, here: { at: Instant; zone: number }): Instant | null {
  const { day, clock, zone } = read(text)
  if (day === null && clock === null) return null
  const offset = (instant: Instant): number => (zone === null ? undefined : utcOffsetOf(zone, instant)) ?? here.zone
  /** The instant at which the calendar there shows this many milliseconds. */
  const instantOf = (wall: number): Instant => wall - offset(wall - offset(wall) * MINUTE) * MINUTE
  const now = here.at + offset(here.at) * MINUTE
  return instantOf(wallOf(day, clock ?? 0, now))
}

/** In the calendar of that zone. */
function wallOf(day: Day | null, clock: number, now: number): number {
  const midnight = now - (now % DAY)
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()]
  // A minute that has just passed is not tomorrow's: the vendor's clock may be a little behind ours.
  if (day === null) return midnight + clock > now - RESET_TOLERANCE ? midnight + clock : midnight + DAY + clock
  switch (day.is) {
    case 'tomorrow':
      return midnight + DAY + clock
    case 'next-month':
      return Date.UTC(year, month + 1, 1) + clock
    case 'day': {
      const wall = Date.UTC(year, month, day.day) + clock
      return wall > now ? wall : Date.UTC(year, month + 1, day.day) + clock
    }
    case 'weekday': {
      // 1 January 1970 was a Thursday.
      const today = (Math.floor(midnight / DAY) + 4) % 7
      const wall = midnight + ((day.weekday - today + 7) % 7) * DAY + clock
      return wall > now ? wall : wall + 7 * DAY
    }
    case 'date': {
      const wall = Date.UTC(day.year ?? year, day.month, day.day) + clock
      // "Resets Jan 2" in December means next year.
      return day.year === null && wall < now - DAY ? Date.UTC(year + 1, day.month, day.day) + clock : wall
    }
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
const YEAR = String.raw`(?:,?\s+(20\d\d)\b)?`
const SEPARATOR = /(?:[\s,(·|]|\b(?:at|on|of|the|@)\b)+/iy

type Piece = [RegExp, (found: RegExpExecArray) => Partial<Moment> | null]

/** Tried in this order at each position: a date before a time of day, because both begin with digits. */
const PIECES: Piece[] = [
  [/(20\d\d)-(\d\d)-(\d\d)(?:T(?=\d))?/iy, ([, year, month, day]) => date({ year, month: Number(month) - 1, day })],
  [/(\d\d)-(\d\d)(?=[T ]\d{1,2}:)/iy, ([, month, day]) => date({ year: undefined, month: Number(month) - 1, day })],
  // In "12/01" the month comes first, as in the US, unless it cannot be a month.
  [
    /(\d{1,2})\/(\d{1,2})(?:\/(20\d\d|\d\d))?(?![\d/])/y,
    ([, first, second, year]) => {
      const dayFirst = Number(first) > 12
      const [month, day] = dayFirst ? [second, first] : [first, second]
      return date({ year: year?.length === 2 ? `20${year}` : year, month: Number(month) - 1, day })
    },
  ],
  [
    new RegExp(String.raw`${MONTH}\s*(\d{1,2})(?:st|nd|rd|th)?(?![\d:])${YEAR}`, 'iy'),
    ([, month = '', day, year]) => date({ year, month: monthOf(month), day }),
  ],
  [
    new RegExp(String.raw`(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+${MONTH}${YEAR}`, 'iy'),
    ([, day, month = '', year]) => date({ year, month: monthOf(month), day }),
  ],
  [
    /(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?\b\.?/iy,
    ([, name = '']) => ({ day: { is: 'weekday', weekday: WEEKDAYS.indexOf(name.slice(0, 3).toLowerCase()) } }),
  ],
  [/tomorrow\b/iy, () => ({ day: { is: 'tomorrow' } })],
  [
    /(?:(?:first|1st)(?:\s+day)?\s+of\s+(?:the\s+|each\s+|every\s+)?)?next\s+(?:calendar\s+|billing\s+)?month\b/iy,
    () => ({ day: { is: 'next-month' } }),
  ],
  [
    /(?:first|1st)(?:\s+day)?\s+of\s+(?:the|each|every)\s+(?:calendar\s+)?month\b/iy,
    () => ({ day: { is: 'day', day: 1 } }),
  ],
  [/(\d{1,2})(?:st|nd|rd|th)\b/iy, ([, day]) => (Number(day) <= 28 ? { day: { is: 'day', day: Number(day) } } : null)],
  [/midnight\b/iy, () => ({ clock: 0 })],
  [/(?:noon|midday)\b/iy, () => ({ clock: 12 * HOUR })],
  [/(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:\.\d+)?)?\s*([ap]\.?m\b\.?)?/iy, (found) => clockOf(found)],
]

const ZONE =
  /\(?((?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?|[+-]\d\d:?\d\d|[A-Z][A-Za-z_]+\/[A-Za-z_/+\d-]+|[A-Z]{1,4}T?|Pacific|Eastern|Central|Mountain)\b(?:\s+time\b)?\)?/y

/** Reads pieces in any order until something else comes. */
function read(text: string): Moment {
  const moment: Moment = { day: null, clock: null, zone: null }
  for (let at = 0; at < text.length;) {
    const next = separated(text, at) ?? piece(text, at, moment) ?? zone(text, at, moment)
    if (next === null) break
    at = next
  }
  return moment
}

function separated(text: string, at: number): number | null {
  SEPARATOR.lastIndex = at
  return SEPARATOR.test(text) ? SEPARATOR.lastIndex : null
}

/** The first value wins: a weekday beside a date only repeats it. */
function piece(text: string, at: number, moment: Moment): number | null {
  for (const [words, meaning] of PIECES) {
    words.lastIndex = at
    const found = words.exec(text)
    const told = found === null ? null : meaning(found)
    if (found === null || told === null) continue
    const { day = null, clock = null } = told
    if (day !== null && (moment.day === null || day.is === 'date')) moment.day = day
    if (clock !== null && moment.clock === null) moment.clock = clock
    return words.lastIndex
  }
  return null
}

function zone(text: string, at: number, moment: Moment): number | null {
  if (moment.zone !== null || (moment.day === null && moment.clock === null)) return null
  ZONE.lastIndex = at
  const name = ZONE.exec(text)?.[1]
  if (name === undefined || !isTimeZone(name)) return null
  moment.zone = name
  return ZONE.lastIndex
}

interface ToldDate {
  year: string | undefined
  month: number
  day: string | undefined
}

function date({ year, month, day: told }: ToldDate): { day: Day } | null {
  const day = Number(told)
  if (month < 0 || month > 11 || day < 1 || day > 31) return null
  return { day: { is: 'date', month, day, year: year === undefined ? null : Number(year) } }
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase())
}

/** A bare number without minutes or am/pm is no time of day. */
function clockOf([, hours, minutes, seconds, half]: RegExpExecArray): { clock: number } | null {
  const hour = Number(hours)
  const minute = Number(minutes ?? 0)
  if (half === undefined && minutes === undefined) return null
  if (minute > 59 || hour > (half === undefined ? 23 : 12) || (half !== undefined && hour === 0)) return null
  const late = half?.toLowerCase().startsWith('p') === true ? 12 : 0
  const hourOfDay = half === undefined ? hour : (hour % 12) + late
  return { clock: hourOfDay * HOUR + minute * MINUTE + Number(seconds ?? 0) * SECOND }
}
