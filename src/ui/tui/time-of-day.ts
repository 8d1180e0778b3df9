import type { Instant } from '../../core/ids.ts'

/** `14:05` where the person is; `zone`: minutes east of Greenwich. */
export function timeOfDay(at: Instant, zone: number): string {
  const minutes = Math.floor(at / 60_000) + zone
  const two = (n: number): string => String(((n % 60) + 60) % 60).padStart(2, '0')
  const hour = ((Math.floor(minutes / 60) % 24) + 24) % 24
  return `${String(hour).padStart(2, '0')}:${two(minutes)}`
}
