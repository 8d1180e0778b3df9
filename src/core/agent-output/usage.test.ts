/** What an iteration used, heard message by message and then as the vendor's sum. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Usage, UsageReport } from '../calls/agent-io.ts'
import type { Price } from '../admission/price.ts'
import { createUsageCounter } from './usage.ts'

const PRICE: Price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }

function counted(reports: UsageReport[], priceOf: (model: string | null) => Price | null = () => null) {
  const counter = createUsageCounter({ priceOf })
  for (const report of reports) counter.take(report)
  return counter.iteration()
}

function message(id: string, usage: Usage, model?: string): UsageReport {
  return { counts: 'message', message: id, usage, ...(model === undefined ? {} : { model }) }
}

describe('messages', () => {
  test('lines of one message count once, those of several add up', () => {
    const lines = [
      message('a', { input: 100, cacheRead: 10, output: 1 }),
      message('b', { input: 7, output: 1 }),
      message('a', { input: 100, cacheRead: 10, output: 3 }),
    ]
    expect(counted(lines)).toEqual({ input: 107, cacheRead: 10, output: 4 })
  })

  test('the sum that the vendor tells replaces them', () => {
    const sum: UsageReport = { counts: 'total', usage: { input: 100, output: 40, usd: 0.5 } }
    expect(counted([message('a', { input: 100, output: 1 }), sum], () => PRICE)).toEqual(sum.usage)
  })

  test('a sum of nothing, as of a program that ends with an error, does not', () => {
    const zero: UsageReport = { counts: 'total', usage: { input: 0, output: 0, usd: 0 } }
    const told = message('a', { input: 1_000_000, output: 1 })
    expect(counted([told, zero])).toEqual({ input: 1_000_000, output: 1, usd: 0 })
    expect(counted([told, zero], () => PRICE)).toEqual({
      input: 1_000_000,
      output: 1,
      usd: 5.000025,
      estimated: true,
    })
    expect(counted([zero], () => PRICE)).toEqual(zero.usage)
  })

  test('each is priced by the model that wrote it', () => {
    const prices: Record<string, Price> = { big: PRICE, small: { ...PRICE, input: 1 } }
    const priceOf = (model: string | null) => prices[model ?? ''] ?? null
    const lines = [message('a', { input: 1_000_000 }, 'big'), message('b', { input: 1_000_000 }, 'small')]
    expect(counted(lines, priceOf)).toEqual({ input: 2_000_000, usd: 6, estimated: true })
  })

  test('a night of them takes no more memory than a few, and none is lost', () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => [
      message(`m${i}`, { input: 2 }),
      message(`m${i}`, { input: 2 }),
    ])
    expect(counted(lines.flat())).toEqual({ input: 2_000 })
  })
})

describe('prices', () => {
  test.each<[string, UsageReport[], Usage]>([
    [
      'tokens without money are priced',
      [{ counts: 'total', usage: { input: 1_000_000, output: 100_000, cacheRead: 200_000, cacheWrite: 0 } }],
      { input: 1_000_000, output: 100_000, cacheRead: 200_000, cacheWrite: 0, usd: 7.6, estimated: true },
    ],
    [
      'a later total is priced as a whole',
      [
        { counts: 'total', usage: { input: 1_000_000 } },
        { counts: 'total', usage: { input: 2_000_000 } },
      ],
      { input: 2_000_000, usd: 10, estimated: true },
    ],
    [
      'additions are priced one by one',
      [
        { counts: 'add', usage: { input: 1_000_000 } },
        { counts: 'add', usage: { input: 1_000_000, usd: 1 } },
      ],
      { input: 2_000_000, usd: 6, estimated: true },
    ],
    ['money that is told is left alone', [{ counts: 'add', usage: { input: 9, usd: 3 } }], { input: 9, usd: 3 }],
    [
      'money told later replaces the estimate',
      [
        { counts: 'total', usage: { input: 1_000_000 } },
        { counts: 'conversation', usage: { usd: 2 } },
      ],
      { input: 1_000_000, usd: 2 },
    ],
  ])('%s', (_, reports, usage) => {
    expect(counted(reports, () => PRICE)).toEqual(usage)
  })

  test('of a conversation only what is new is priced', () => {
    const counter = createUsageCounter({ previous: { input: 1_000_000 }, priceOf: () => PRICE })
    counter.take({ counts: 'conversation', usage: { input: 1_500_000 } })
    expect(counter.iteration()).toEqual({ input: 500_000, usd: 2.5, estimated: true })
    expect(counter.conversation()).toEqual({ input: 1_500_000 })
  })
})

/** A stream as a vendor tells it: messages whose lines show the output as it grows, and the sums at the end. */
const streams = fc
  .array(
    fc.record({
      input: fc.nat(100_000),
      cacheRead: fc.nat(100_000),
      cacheWrite: fc.nat(100_000),
      outputs: fc.array(fc.nat(5_000), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((messages) => ({
    lines: messages.flatMap(({ outputs, ...rest }, i) =>
      outputs.toSorted((a, b) => a - b).map((output) => message(`m${i}`, { ...rest, output })),
    ),
    sum: messages.reduce(
      (sum, { input, cacheRead, cacheWrite, outputs }) => ({
        input: sum.input + input,
        cacheRead: sum.cacheRead + cacheRead,
        cacheWrite: sum.cacheWrite + cacheWrite,
        output: sum.output + Math.max(...outputs) + 1,
      }),
      { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    ),
  }))

describe('whatever is told', () => {
  test('what is known in flight never exceeds the sum at the end, and never shrinks', () => {
    fc.assert(
      fc.property(streams, ({ lines, sum }) => {
        const counter = createUsageCounter({ priceOf: () => PRICE })
        const whole = counted([{ counts: 'total', usage: sum }], () => PRICE)
        let before: Usage = {}
        for (const line of lines) {
          counter.take(line)
          const now = counter.iteration() ?? {}
          for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
            expect(now[field]).toBeGreaterThanOrEqual(before[field] ?? 0)
            expect(now[field]).toBeLessThanOrEqual(sum[field])
          }
          expect(now.usd).toBeLessThanOrEqual((whole?.usd ?? 0) + 1e-9)
          before = now
        }
        counter.take({ counts: 'total', usage: { ...sum, usd: 1 } })
        expect(counter.iteration()).toEqual({ ...sum, usd: 1 })
      }),
    )
  })

  test('the order of the lines does not matter', () => {
    fc.assert(
      fc.property(
        streams.chain(({ lines }) =>
          fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
        ),
        ([lines, shuffled]) => {
          expect(counted(shuffled)).toEqual(counted(lines))
        },
      ),
    )
  })
})
