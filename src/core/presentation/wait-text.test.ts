import { expect, test } from 'vitest'
import { describeWait } from './wait-text.ts'

const NOW = Date.UTC(2026, 10, 16, 5, 54)
const reader = { now: NOW, local: (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ') }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

test.each([
  [5 * MINUTE, 'waits until 05:59: why'],
  [12 * HOUR, 'waits until 17:54: why'],
  [12 * HOUR + MINUTE, 'waits until Mon 16 Nov, 17:55, in 12 hours: why'],
  [30 * HOUR, 'waits until Tue 17 Nov, 11:54, in 30 hours: why'],
  [72 * HOUR, 'waits until Thu 19 Nov, 05:54, in 3 days: why'],
  [39 * 24 * HOUR, 'waits until Fri 25 Dec, 05:54, in 39 days: why'],
])('a wait of %i ms', (ms, said) => {
  expect(describeWait({ until: NOW + ms, why: 'why' }, reader)).toBe(said)
})

test('an outage tells since when, the next try and when it is given up', () => {
  const outage = { since: NOW - 44 * MINUTE, outageDeadline: NOW + 76 * MINUTE }
  expect(describeWait({ until: NOW + 5 * MINUTE, why: 'claude cannot be reached (overloaded)', outage }, reader)).toBe(
    'claude cannot be reached (overloaded): waiting since 05:10, next try 05:59, gives up at 07:10',
  )
})
