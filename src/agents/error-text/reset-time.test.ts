import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { parseResetTime, addResetTime } from './reset-time.ts'

/** A Wednesday, 14:00 in UTC and 16:00 in a zone two hours east. */
const AT = Date.UTC(2026, 6, 15, 14, 0)
const HERE = { at: AT, zone: 120 }

function utc(day: number, hour: number, minute = 0, second = 0): number {
  return Date.UTC(2026, 6, day, hour, minute, second)
}

describe('when a limit opens again', () => {
  const table: [text: string, instant: number | null][] = [
    ["You've hit your limit · resets 5pm", utc(15, 15)],
    ["You've hit your limit · resets 9pm", utc(15, 19)],
    ['5-hour limit reached ∙ resets 3am', utc(16, 1)],
    ['resets 3:30pm', utc(16, 13, 30)],
    // The minute that has just come: the vendor's clock is behind, and the limit is over in a moment.
    ['resets 3:58pm', utc(15, 13, 58)],
    ['resets 3am (Europe/Berlin)', utc(16, 1)],
    ['resets 3am (America/New_York)', utc(16, 7)],
    ['resets 3am (Asia/Kolkata)', utc(15, 21, 30)],
    ['resets 8pm (UTC)', utc(15, 20)],
    ['resets at 5:30pm', utc(15, 15, 30)],
    ['resets 12am', utc(15, 22)],
    ['resets 12pm', utc(16, 10)],
    ['limit will reset at 18:45', utc(15, 16, 45)],
    ['Try again at 3:05 PM.', utc(16, 13, 5)],
    ['try again at Jul 21st, 2026 3:05 PM.', utc(21, 13, 5)],
    ['resets Jul 17, 3pm (Europe/Berlin)', utc(17, 13)],
    ['resets Jul 17 at 3pm', utc(17, 13)],
    ['resets Friday 9am', utc(17, 7)],
    ['resets Wed 9am', utc(22, 7)],
    ['resets tomorrow at 8am', utc(16, 6)],
    [`Claude AI usage limit reached|${AT / 1000 + 3600}`, AT + 3_600_000],
    [`"resetsAt": ${AT + 1234}`, AT + 1234],
    ['Retry at 2026-07-15T20:00:00Z', utc(15, 20)],
    ['resets 2026-07-15 20:00', utc(15, 18)],
    ['resets 2026-07-15T20:00:00+05:30', utc(15, 14, 30)],
    ['429 Retry-After: 30', AT + 30_000],
    ['(retry-after: 1)', AT + 1_000],
    ['retry_after_ms', null],
    ['Retry-After: Wed, 15 Jul 2026 15:00:00 GMT', utc(15, 15)],
    ['try again in 2 hours 5 minutes', AT + 125 * 60_000],
    ['Please retry in 34.07s.', AT + 34_070],
    ['try again in 3 days, 4 hours and 9 minutes.', AT + ((3 * 24 + 4) * 60 + 9) * 60_000],
    ['retry in 1h12m5s', AT + (72 * 60 + 5) * 1_000],
    // Two units in any spelling, and numbers in words.
    ['try again in 1 day 3 hours', AT + 27 * 3_600_000],
    ['resets in 2h 5m', AT + 125 * 60_000],
    ['Resets in 1d3h', AT + 27 * 3_600_000],
    ['try again in 5 mins and 10 secs', AT + 310_000],
    ['try again in about an hour', AT + 3_600_000],
    ['Please wait 2 minutes before trying again', AT + 120_000],
    ['retry after 5 minutes', AT + 300_000],
    ['50 messages in 3 hours are allowed. Try again in 20 minutes.', AT + 1_200_000],
    // Fields, in seconds and in milliseconds.
    ['"retryDelay": "34s"', AT + 34_000],
    ['"retryDelay":"34074.8ms"', AT + 34_075],
    ['retry-after-ms: 1250', AT + 1_250],
    ['reset_ms=90000', AT + 90_000],
    ['"resets_in_seconds": 90', AT + 90_000],
    ['retry_delay { seconds: 34 }', AT + 34_000],
    ['x-ratelimit-reset-tokens: 6m0s', AT + 360_000],
    // Zones by their letters. PST in July is taken at its word.
    ['resets 9pm PST', utc(16, 5)],
    ['resets 9pm (PDT)', utc(16, 4)],
    ['resets 9pm EST', utc(16, 2)],
    ['resets 9pm EDT', utc(16, 1)],
    ['resets 9pm CST', utc(16, 3)],
    ['resets 9pm CET', utc(15, 20)],
    ['resets 9pm CEST', utc(15, 19)],
    ['resets 9pm BST', utc(15, 20)],
    ['resets 9pm IST', utc(15, 15, 30)],
    ['resets 9am JST', utc(16, 0)],
    ['resets 9pm UTC+2', utc(15, 19)],
    ['resets at midnight Pacific time', utc(16, 7)],
    ['resets at midnight PT', utc(16, 7)],
    ['resets at 00:00 UTC', utc(16, 0)],
    // Dates in either order, with and without a time of day, up to forty days ahead.
    ['resets Aug 1', Date.UTC(2026, 6, 31, 22)],
    ['resets on 1 Aug', Date.UTC(2026, 6, 31, 22)],
    ['resets Aug 1 (UTC)', Date.UTC(2026, 7, 1)],
    ['resets 1 August at 9am', Date.UTC(2026, 7, 1, 7)],
    ['resets on the 1st of August 2026, 09:00 UTC', Date.UTC(2026, 7, 1, 9)],
    ['resets 9am on August 1st', Date.UTC(2026, 7, 1, 7)],
    ['resets 08/01', Date.UTC(2026, 6, 31, 22)],
    ['resets 23/08', Date.UTC(2026, 7, 22, 22)],
    ['resets on 2026-08-01', Date.UTC(2026, 6, 31, 22)],
    ['You will regain access on 2026-08-01 at 00:00 UTC.', Date.UTC(2026, 7, 1)],
    ['resets Thursday, Jul 23, 5:54 AM', utc(23, 3, 54)],
    ['resets Friday', utc(16, 22)],
    ['resets on the 1st', Date.UTC(2026, 6, 31, 22)],
    ['resets on the first of the month', Date.UTC(2026, 6, 31, 22)],
    ['renews next month', Date.UTC(2026, 6, 31, 22)],
    ['try again in 39 days', AT + 39 * 24 * 3_600_000],
    ['Try again later. Your allowance resets Aug 1.', Date.UTC(2026, 6, 31, 22)],
    // An id is no time.
    [`request req_${AT / 1000 + 60} failed`, null],
    ['try again in a moment', null],
    ['try again later', null],
    ['retried 5 times (total retry wait time: 5.22 seconds)', null],
    ['resets 25:00', null],
    ['resets 5', null],
    ['resets Foo 17, 3pm', null],
    ['resets 3am (Nowhere/Land)', utc(16, 1)],
    // Further than any limit: a number that was no time.
    ['limit reached|1999999999', null],
    ['try again in 41 days', null],
    ['limit reached|1000000000', null],
    ['', null],
  ]
  test.each(table)('%s', (text, instant) => {
    expect(parseResetTime(text, HERE)).toBe(instant)
  })

  test('a night when the clocks change is as long as it is', () => {
    // Berlin goes from UTC+2 to UTC+1 on 25 October 2026 at 3:00.
    const here = { at: Date.UTC(2026, 9, 24, 20, 0), zone: 120 }
    expect(parseResetTime('resets 9am (Europe/Berlin)', here)).toBe(Date.UTC(2026, 9, 25, 8, 0))
  })

  test('a date without a year said in December may mean the next one', () => {
    const here = { at: Date.UTC(2026, 11, 30, 12, 0), zone: 0 }
    expect(parseResetTime('resets Jan 2, 3pm', here)).toBe(Date.UTC(2027, 0, 2, 15, 0))
  })

  test('whatever the text, the answer is null or within forty days', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('resets ', 'try again in ', '|', ''), (text, before) => {
        const found = parseResetTime(before + text, HERE)
        return found === null || (found > AT && found <= AT + 40 * 24 * 3_600_000)
      }),
    )
  })
})

describe('a limited event', () => {
  const limited = { type: 'limited', kind: 'usage-limit', message: 'limit reached, resets 5pm' } as const

  test('gets the time its words give', () => {
    expect(addResetTime(limited, HERE)).toEqual({ ...limited, resetsAt: utc(15, 15) })
  })

  test('keeps the time the vendor told as a number', () => {
    expect(addResetTime({ ...limited, resetsAt: AT + 5 }, HERE)).toEqual({ ...limited, resetsAt: AT + 5 })
  })

  test('keeps a time of the vendor’s own that has just passed: then the limit is over', () => {
    const event = { ...limited, message: 'limit reached', resetsAt: AT - 1 }
    expect(addResetTime(event, HERE)).toEqual(event)
  })

  test('loses a time that cannot be one', () => {
    const event = { ...limited, message: 'limit reached' }
    expect(addResetTime({ ...event, resetsAt: AT - 41 * 24 * 3_600_000 }, HERE)).toEqual(event)
  })

  test('is the only one that changes', () => {
    const event = { type: 'text', text: 'resets 5pm', delta: false } as const
    expect(addResetTime(event, HERE)).toEqual(event)
  })
})
