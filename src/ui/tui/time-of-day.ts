import type { Instant } from '../../core/ids.ts'

/** `14:05`. */
export function timeOfDay(at: Instant, zone: number): string {
  return timestampFormatter(zone)(at).slice(11, 16)
}

/** `2027-03-28 03:30:00` in the scene's time zone, in minutes east of Greenwich. */
export function timestampFormatter(zone: number): (at: Instant) => string {
  return (at) => new Date(at + zone * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
