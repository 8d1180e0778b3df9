import { afterEach, describe, expect, test, vi } from 'vitest'
import { isoTime, localTime, randomId, systemClock } from './clock.ts'

describe('timers', () => {
  afterEach(() => vi.useRealTimers())

  test('a timer fires once, when its awake time has come', async () => {
    const clock = systemClock()
    const fired = await new Promise<number>((resolve) => clock.after(20, () => resolve(clock.up())))
    expect(fired).toBeGreaterThanOrEqual(20)
  })

  test('a cancelled timer never fires', () => {
    vi.useFakeTimers()
    const fire = vi.fn()
    systemClock().after(10, fire).cancel()
    vi.advanceTimersByTime(1000)
    expect(fire).not.toHaveBeenCalled()
  })

  test('a timer of a month is armed in steps of a minute and still fires on time', () => {
    vi.useFakeTimers()
    const month = 30 * 24 * 3_600_000
    const clock = systemClock()
    const fire = vi.fn()
    clock.after(month + 5, fire)
    let longest = 0
    while (fire.mock.calls.length === 0) {
      const before = clock.up()
      vi.advanceTimersToNextTimer()
      longest = Math.max(longest, clock.up() - before)
    }
    expect([longest, clock.up(), fire.mock.calls.length]).toEqual([60_000, month + 5, 1])
  })

  test('cancelling also reaches a timer that was armed again', () => {
    vi.useFakeTimers()
    const fire = vi.fn()
    const timer = systemClock().after(150_000, fire)
    vi.advanceTimersByTime(130_000)
    timer.cancel()
    vi.advanceTimersByTime(130_000)
    expect(fire).not.toHaveBeenCalled()
  })

  test('awake time goes on where the process before left it, and ignores a wall clock that jumps', () => {
    vi.useFakeTimers()
    const clock = systemClock(5000)
    vi.advanceTimersByTime(250)
    vi.setSystemTime(clock.at() - 7_200_000)
    expect(clock.up()).toBe(5250)
  })
})

describe('words', () => {
  test.each([
    [Date.UTC(2027, 2, 28, 1, 30), '2027-03-28T01:30:00.000Z'],
    [Number.NaN, 'unknown time'],
    [1e300, 'unknown time'],
  ])('isoTime(%d) is %s', (at, text) => expect(isoTime(at)).toBe(text))

  test('localTime is hours and minutes of the local zone', () => {
    expect(localTime(new Date(2027, 2, 28, 14, 5, 59).getTime())).toBe('14:05')
    expect(localTime(Number.NaN)).toBe('--:--')
  })
})

describe('ids', () => {
  test('an id has the length asked for and no letter that looks like another', () => {
    expect(randomId(2000)).toMatch(/^[0-9a-hjkmnp-tv-z]{2000}$/)
  })

  test('two ids differ', () => expect(randomId(16)).not.toBe(randomId(16)))
})
