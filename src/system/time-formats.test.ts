import { expect, test } from 'vitest'
import { formatLocalDateTime, parseTime, formatUtcDateTime } from './time-formats.ts'

test('UTC times have seconds and an offset, as the older tools write them', () => {
  expect(formatUtcDateTime(Date.UTC(2027, 2, 28, 1, 30, 5, 999))).toBe('2027-03-28T01:30:05+00:00')
  expect(formatUtcDateTime(Number.NaN)).toBe('1970-01-01T00:00:00+00:00')
})

test('local times can be read back by whoever lives in the same zone', () => {
  const at = new Date(2027, 2, 4, 5, 6, 7).getTime()
  expect(formatLocalDateTime(at)).toBe('2027-03-04 05:06:07')
})

test('a time that is none reads as null', () => {
  expect(parseTime('2027-03-28T01:30:05+00:00')).toBe(Date.UTC(2027, 2, 28, 1, 30, 5))
  expect(parseTime('yesterday')).toBe(null)
  expect(parseTime('')).toBe(null)
})
