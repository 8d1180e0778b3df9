/** Numbers as people read them. */
import { clockTime, count, dollars, short, span } from '../../domain/text/amounts.ts'
import type { Instant } from '../../domain/ids.ts'
import { cost } from '../../domain/calls/spent.ts'
import { isSoon, waitWords, type Reader, type Waiting } from '../../domain/tell/wait-words.ts'

export { clockTime, cost, count, dollars, short, span }

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
