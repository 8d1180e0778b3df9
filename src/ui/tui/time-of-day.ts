import type { Instant } from '../../core/ids.ts'

/** `2027-03-28 03:30:00` in the user's time zone; `zone`: minutes east of Greenwich. */
export function localTime(at: Instant, zone: number): string {
  return new Date(at + zone * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** `14:05`. */
export function timeOfDay(at: Instant, zone: number): string {
  return localTime(at, zone).slice(11, 16)
}

/** `2027-03-28 03:30:00` in the scene's time zone, which a test can choose. */
export function localIn(zone: number): (at: Instant) => string {
  return (at) => new Date(at + zone * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
