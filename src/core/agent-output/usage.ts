/**
 * Adds up the usage of an iteration as it is reported. A field that the vendor does not report stays absent.
 *
 * Two kinds of reports are kept apart: the vendor's own totals, and the counts in its messages while they are written. A message's input
 * and cache counts are exact from its first line, its output count is not: together they are a lower bound, good enough to stop an agent
 * that goes over the budget, and all there is for one that was killed. The vendor's totals replace it.
 */
import type { Usage, UsageReport } from '../calls/agent-io.ts'
import { assertNever } from '../assert-never.ts'
import { withEstimatedCost, type Price } from '../admission/price.ts'

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
const FIELDS = [...TOKENS, 'usd'] as const
type Field = (typeof FIELDS)[number]

export interface UsageCounter {
  take(report: UsageReport): void
  /** Of this iteration so far; null while nothing was reported. */
  iteration(): Usage | null
  /** Of the whole conversation, for vendors that count it. */
  conversation(): Usage | null
}

export interface UsageCounterOptions {
  /** The conversation's totals before this iteration. */
  previous?: Usage | null
  /** The price of a model's tokens; null: unknown. */
  priceOf?: (model: string | null) => Price | null
}

/** Sub-agents write messages at the same time, but not more than this: the count of an older message is final. */
const GROWING = 64

export function createUsageCounter({ previous = null, priceOf = () => null }: UsageCounterOptions = {}): UsageCounter {
  let told: Usage | null = null
  let conversation: Usage | null = null
  let written: Usage | null = null
  const growing = new Map<string, Usage>()

  function takeMessage(message: string, usage: Usage, price: Price | null): void {
    const grown = { ...larger(growing.get(message) ?? {}, usage), ...moneyOf(usage) }
    growing.set(message, withEstimatedCost(grown, price))
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
          told = add(told ?? {}, withEstimatedCost(usage, price))
          return
        case 'total':
          told = withEstimatedCost({ ...withoutEstimate(told), ...usage }, price)
          return
        case 'conversation':
          conversation = { ...conversation, ...usage }
          told = withEstimatedCost({ ...withoutEstimate(told), ...since(conversation, previous) }, price)
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
 * Combines the vendor's totals with the counts of its messages. Reported tokens were used, so a smaller total is wrong: programs that
 * end with an error report zero, and some leave out their sub-agents. The vendor's cost replaces the estimate, unless it is such a zero.
 */
function settled(told: Usage, begun: Usage): Usage {
  const nothing = told.usd === undefined || (told.usd === 0 && begun.usd !== undefined)
  return { ...larger(told, begun), ...moneyOf(nothing ? begun : told) }
}

/** The maximum of each token field, so that the order of a message's lines does not matter. */
function larger(one: Usage, other: Usage): Usage {
  return fill(TOKENS, (field) => (one[field] === undefined ? other[field] : Math.max(one[field], other[field] ?? 0)))
}

function moneyOf({ usd, estimated }: Usage): Usage {
  return { ...(usd === undefined ? {} : { usd }), ...(estimated === undefined ? {} : { estimated }) }
}

/** Only plausible numbers: a negative number or NaN counts as not reported. */
function sane(usage: Usage): Usage {
  return fill(FIELDS, (field) => {
    const value = usage[field]
    return typeof value === 'number' && value >= 0 && value <= BELIEVED ? value : undefined
  })
}

/** No iteration uses a trillion of anything. A larger number counts as not reported, and a database may not return it exactly. */
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

/** The part of a conversation's totals that came after `previous`. A total below the previous one means that the vendor started
 *  counting again: then all of it is new, because the count must never lose money that was spent. */
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
