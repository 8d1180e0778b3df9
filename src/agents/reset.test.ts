import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { resetTime, resolveReset } from './reset.ts'

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
    ['resets 4pm', utc(16, 14)],
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
    ['try again in a moment', null],
    ['try again later', null],
    ['retried 5 times (total retry wait time: 5.22 seconds)', null],
    ['resets 25:00', null],
    ['resets 5', null],
    ['resets Foo 17, 3pm', null],
    ['resets 3am (Nowhere/Land)', utc(16, 1)],
    // Further than any limit: a number that was no time.
    ['limit reached|1999999999', null],
    ['try again in 9 days', null],
    ['limit reached|1000000000', null],
    ['', null],
  ]
  test.each(table)('%s', (text, instant) => {
    expect(resetTime(text, HERE)).toBe(instant)
  })

  test('a night when the clocks change is as long as it is', () => {
    // Berlin goes from UTC+2 to UTC+1 on 25 October 2026 at 3:00.
    const here = { at: Date.UTC(2026, 9, 24, 20, 0), zone: 120 }
    expect(resetTime('resets 9am (Europe/Berlin)', here)).toBe(Date.UTC(2026, 9, 25, 8, 0))
  })

  test('a date without a year said in December may mean the next one', () => {
    const here = { at: Date.UTC(2026, 11, 30, 12, 0), zone: 0 }
    expect(resetTime('resets Jan 2, 3pm', here)).toBe(Date.UTC(2027, 0, 2, 15, 0))
  })

  test('whatever the text, the answer is null or within eight days', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('resets ', 'try again in ', '|', ''), (text, before) => {
        const found = resetTime(before + text, HERE)
        return found === null || (found > AT && found <= AT + 8 * 24 * 3_600_000)
      }),
    )
  })
})

describe('a limited event', () => {
  const limited = { type: 'limited', kind: 'usage-limit', message: 'limit reached, resets 5pm' } as const

  test('gets the time its words give', () => {
    expect(resolveReset(limited, HERE)).toEqual({ ...limited, resetsAt: utc(15, 15) })
  })

  test('keeps the time the vendor told as a number', () => {
    expect(resolveReset({ ...limited, resetsAt: AT + 5 }, HERE)).toEqual({ ...limited, resetsAt: AT + 5 })
  })

  test('keeps a time of the vendor’s own that has just passed: then the limit is over', () => {
    const event = { ...limited, message: 'limit reached', resetsAt: AT - 1 }
    expect(resolveReset(event, HERE)).toEqual(event)
  })

  test('loses a time that cannot be one', () => {
    const event = { ...limited, message: 'limit reached' }
    expect(resolveReset({ ...event, resetsAt: AT - 9 * 24 * 3_600_000 }, HERE)).toEqual(event)
  })

  test('is the only one that changes', () => {
    const event = { type: 'text', text: 'resets 5pm', delta: false } as const
    expect(resolveReset(event, HERE)).toEqual(event)
  })
})
