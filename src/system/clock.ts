/**
 * Time and randomness, which the pure core may not read itself. Everything else in Ralph receives a `Clock`, so a simulator can pass in a
 * year of nights.
 */
import type { AwakeMs, Instant, Millis, Now } from '../core/ids.ts'
import { nodeCrypto } from './lazy-node.ts'

export interface Clock {
  /** Wall clock, for people and announced resets. It may jump. */
  at(): Instant
  /** Awake milliseconds, for durations. It never goes back. */
  up(): AwakeMs
  after(ms: Millis, fire: () => void): Timer
}

export interface Timer {
  cancel(): void
}

/** `startUp`: the awake time of the run when the previous process ended. */
export function systemClock(startUp: AwakeMs = 0): Clock {
  const began = process.hrtime.bigint()
  const up = () => startUp + Number((process.hrtime.bigint() - began) / 1_000_000n)
  return { at: () => Date.now(), up, after: (ms, fire) => armTimer(up, ms, fire) }
}

/** The time stamp of a row. */
export function readClock(clock: Clock): Now {
  return { at: clock.at(), up: clock.up() }
}

/** One `setTimeout` over a whole night drifts when the machine sleeps, and overflows after 24 days. */
const STEP_MS = 60_000

function armTimer(up: () => AwakeMs, ms: Millis, fire: () => void): Timer {
  const due = up() + ms
  let handle: NodeJS.Timeout
  const arm = () => {
    const left = due - up()
    handle = setTimeout(() => (up() >= due ? fire() : arm()), Math.min(Math.max(left, 0), STEP_MS))
  }
  arm()
  return { cancel: () => clearTimeout(handle) }
}

/** `2027-03-28T01:30:00.000Z`. An instant parsed from foreign text may be invalid and must not throw here. */
export function isoTime(at: Instant): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? 'unknown time' : date.toISOString()
}

/** `14:05` in the local zone. */
export function localTime(at: Instant): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return '--:--'
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** Base 32 without i, l, o and u: read aloud or copied by hand, an id stays the same id. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export function randomId(length: number): string {
  return Array.from(nodeCrypto().randomBytes(length), (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/** For commands that poll another process. The engine itself waits for events. */
export function sleepFor(ms: Millis): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
