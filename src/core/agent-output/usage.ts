/**
 * Adding up what an iteration used, while it is being told. A field that the vendor does not tell stays absent.
 *
 * Two kinds of words are kept apart: the vendor's own sums, and what its messages say while they are being written. Input and cache
 * of a message are exact from its first line, its output has only begun: together they are a lower bound, good enough to end an
 * agent in flight, and all there is of one that was killed. The vendor's sums replace it.
 */
import type { Usage, UsageReport } from '../calls/agent-io.ts'
import { assertNever } from '../assert-never.ts'
import { withPrice, type Price } from '../admission/price.ts'

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
const FIELDS = [...TOKENS, 'usd'] as const
type Field = (typeof FIELDS)[number]

export interface UsageCounter {
  take(report: UsageReport): void
  /** Of this iteration so far; null while nothing was told. */
  iteration(): Usage | null
  /** Of the whole conversation, where the vendor counts that. */
  conversation(): Usage | null
}

export interface UsageCounterOptions {
  /** The conversation's totals before this iteration. */
  previous?: Usage | null
  /** What the tokens of a model cost; null: nobody knows. */
  priceOf?: (model: string | null) => Price | null
}

/** Messages are written side by side (sub-agents), but not more than these: the sum of an older one is final. */
const GROWING = 64

export function createUsageCounter({ previous = null, priceOf = () => null }: UsageCounterOptions = {}): UsageCounter {
  let told: Usage | null = null
  let conversation: Usage | null = null
  let written: Usage | null = null
  const growing = new Map<string, Usage>()

  function takeMessage(message: string, usage: Usage, price: Price | null): void {
    const grown = { ...larger(growing.get(message) ?? {}, usage), ...moneyOf(usage) }
    growing.set(message, withPrice(grown, price))
    const [oldest] = growing
    if (oldest === undefined || growing.size <= GROWING) return
    growing.delete(oldest[0])
    written = add(written ?? {}, oldest[1])
  }

  return {
    take(report) {
      const usage = sane(report.usage)
      const price = priceOf(report.model ?? null)
      switch (report.counts) {
        case 'add':
          told = add(told ?? {}, withPrice(usage, price))
          return
        case 'total':
          told = withPrice({ ...withoutEstimate(told), ...usage }, price)
          return
        case 'conversation':
          conversation = { ...conversation, ...usage }
          told = withPrice({ ...withoutEstimate(told), ...since(conversation, previous) }, price)
          return
        case 'message':
          return takeMessage(report.message, usage, price)
        default:
          return assertNever(report)
      }
    },
    iteration() {
      const begun = [...growing.values()].reduce<Usage | null>((sum, one) => add(sum ?? {}, one), written)
      return told === null || begun === null ? (told ?? begun) : settled(told, begun)
    },
    conversation: () => conversation,
  }
}

/**
 * The vendor's sums over what its messages told. Tokens that were told have been used, so a sum below them is none: programs that
 * end with an error say zero, and some leave their sub-agents out. Its money replaces our estimate, unless it is a zero of that kind.
 */
function settled(told: Usage, begun: Usage): Usage {
  const nothing = told.usd === undefined || (told.usd === 0 && begun.usd !== undefined)
  return { ...larger(told, begun), ...moneyOf(nothing ? begun : told) }
}

/** The tokens field by field, so that lines of one message count the same in whatever order they come. */
function larger(one: Usage, other: Usage): Usage {
  return fill(TOKENS, (field) => (one[field] === undefined ? other[field] : Math.max(one[field], other[field] ?? 0)))
}

function moneyOf({ usd, estimated }: Usage): Usage {
  return { ...(usd === undefined ? {} : { usd }), ...(estimated === undefined ? {} : { estimated }) }
}

/** Numbers that can be: a vendor's minus or NaN is as good as no word. */
function sane(usage: Usage): Usage {
  return fill(FIELDS, (field) => {
    const value = usage[field]
    return typeof value === 'number' && value >= 0 && value <= BELIEVED ? value : undefined
  })
}

/** No iteration uses a trillion of anything. A number beyond that is none, and no database takes it back. */
const BELIEVED = 1e12

function add(one: Usage, other: Usage): Usage {
  const sum = fill(FIELDS, (field) => (one[field] === undefined ? other[field] : one[field] + (other[field] ?? 0)))
  return one.estimated === true || other.estimated === true ? { ...sum, estimated: true } : sum
}

function withoutEstimate(usage: Usage | null): Usage {
  if (usage?.estimated !== true) return usage ?? {}
  const { usd: _, estimated: __, ...told } = usage
  return told
}

/** The part of a conversation's totals that came after `previous`. A total below the previous one means that the vendor began to
 *  count anew: then all of it is new, because money spent must never be lost from the count. */
function since(totals: Usage, previous: Usage | null): Usage {
  if (previous === null || FIELDS.some((field) => (totals[field] ?? Infinity) < (previous[field] ?? 0))) return totals
  return fill(FIELDS, (field) => {
    const total = totals[field]
    return total === undefined ? undefined : total - (previous[field] ?? 0)
  })
}

function fill(fields: readonly Field[], value: (field: Field) => number | undefined): Usage {
  const usage: Usage = {}
  for (const field of fields) {
    const number = value(field)
    if (number !== undefined) usage[field] = number
  }
  return usage
}
