/** A wait as people read it, the same on every screen: by the clock if it ends today, with its date and how long if it does not. */
import type { OutageWait } from '../state/effect.ts'
import type { Instant } from '../ids.ts'
import { DAY, HOUR } from '../text/value-kind.ts'

export interface WaitInfo {
  until: Instant
  why: string
  outage?: OutageWait
}

/** The current time, and how an instant is written in the reader's zone (`2027-03-28 03:30:00`). */
export interface ReaderClock {
  now: Instant
  local: (at: Instant) => string
}

/** Up to this distance, a time of day is enough. */
const SOON = 12 * HOUR

export function isWithinHalfDay(until: Instant, now: Instant): boolean {
  return until - now <= SOON
}

/** `05:54`, or `Thu 19 Nov, 05:54, in 3 days`. */
export function describeInstant(at: Instant, { now, local }: ReaderClock): string {
  const stamp = local(at)
  const clock = stamp.slice(11, 16)
  return isWithinHalfDay(at, now) ? clock : `${dayWords(stamp)}, ${clock}, ${distance(at - now)}`
}

/** `waits until 05:54: claude is at its usage limit`, or for an outage its start, the next try, and when Ralph gives up. */
export function describeWait({ until, why, outage }: WaitInfo, reader: ReaderClock): string {
  if (outage === undefined) return `waits until ${describeInstant(until, reader)}: ${why}`
  const [since, next, end] = [outage.since, until, outage.outageDeadline].map((at) => describeInstant(at, reader))
  return `${why}: waiting since ${since}, next try ${next}, gives up at ${end}`
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dayWords(stamp: string): string {
  const [year = 0, month = 1, day = 1] = stamp.slice(0, 10).split('-').map(Number)
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay()
  return `${WEEKDAYS[weekday] ?? ''} ${day} ${MONTHS[month - 1] ?? ''}`
}

function distance(ms: number): string {
  return ms < 2 * DAY ? `in ${Math.round(ms / HOUR)} hours` : `in ${Math.round(ms / DAY)} days`
}
