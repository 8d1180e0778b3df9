import type { Instant } from '../../core/ids.ts'

/** `2027-03-28 03:30:00` where the person is; `zone`: minutes east of Greenwich. */
export function localTime(at: Instant, zone: number): string {
  return new Date(at + zone * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** `14:05`. */
export function timeOfDay(at: Instant, zone: number): string {
  return localTime(at, zone).slice(11, 16)
}

/** `2027-03-28 03:30:00` there. The zone is the scene's, so that a test can choose it. */
export function localIn(zone: number): (at: Instant) => string {
  return (at) => new Date(at + zone * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
