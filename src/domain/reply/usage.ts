/** Adding up what an iteration used. A field that the vendor does not tell stays absent. */
import type { Usage } from '../agent.ts'
import { never } from '../machine.ts'

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const

/** What was used so far: of this iteration, and of the conversation where the vendor only counts that. */
export interface UsageCount {
  iteration: Usage | null
  conversation: Usage | null
}

/** Takes one report into the count. `previous` are the conversation's totals before this iteration. */
export function countUsage(
  count: UsageCount,
  report: { usage: Usage; counts: 'add' | 'total' | 'conversation' },
  previous: Usage | null,
): UsageCount {
  const usage = sane(report.usage)
  switch (report.counts) {
    case 'add':
      return { ...count, iteration: add(count.iteration ?? {}, usage) }
    case 'total':
      return { ...count, iteration: { ...count.iteration, ...usage } }
    case 'conversation': {
      const conversation = { ...count.conversation, ...usage }
      return { conversation, iteration: { ...count.iteration, ...since(conversation, previous) } }
    }
    default:
      return never(report.counts)
  }
}

/** Numbers that can be: a vendor's minus or NaN is as good as no word. */
function sane(usage: Usage): Usage {
  return fill((field) => {
    const value = usage[field]
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
  })
}

function add(one: Usage, other: Usage): Usage {
  return fill((field) => (one[field] === undefined ? other[field] : one[field] + (other[field] ?? 0)))
}

/** The part of a conversation's totals that came after `previous`. A total below the previous one means that the vendor began to
 *  count anew: then all of it is new, because money spent must never be lost from the count. */
function since(totals: Usage, previous: Usage | null): Usage {
  if (previous === null || FIELDS.some((field) => (totals[field] ?? Infinity) < (previous[field] ?? 0)))
    return totals
  return fill((field) => {
    const total = totals[field]
    return total === undefined ? undefined : total - (previous[field] ?? 0)
  })
}

function fill(value: (field: (typeof FIELDS)[number]) => number | undefined): Usage {
  const usage: Usage = {}
  for (const field of FIELDS) {
    const number = value(field)
    if (number !== undefined) usage[field] = number
  }
  return usage
}
