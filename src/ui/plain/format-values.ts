/** Numbers as people read them. */
import {
  formatElapsed,
  plural,
  formatDollars,
  formatCompact,
  formatSize,
  formatSpan,
} from '../../core/text/format-amounts.ts'
import type { Instant } from '../../core/ids.ts'
import { formatCost } from '../../core/calls/spending.ts'
import { isWithinHalfDay, describeWait, type ReaderClock, type WaitInfo } from '../../core/presentation/wait-text.ts'

export { formatElapsed, formatCost, plural, formatDollars, formatCompact, formatSize, formatSpan }

/** `2027-03-28 03:30:00` in local time. */
export function localTimestamp(at: Instant): string {
  const date = new Date(at)
  const two = (n: number): string => String(n).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** The clock of the person at this machine. */
export function readerClock(): ReaderClock {
  return { now: Date.now(), local: localTimestamp }
}

/** The rest of a wait, as a countdown if it ends today: `waits 12:05: why`. */
export function remainingWaitText(wait: WaitInfo, reader: ReaderClock): string {
  if (wait.outage !== undefined || !isWithinHalfDay(wait.until, reader.now)) return describeWait(wait, reader)
  return `waits ${formatElapsed(wait.until - reader.now)}: ${wait.why}`
}
