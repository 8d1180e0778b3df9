/** What a run has spent, added up from its iterations for the screens. */
import type { Usage } from './agent-io.ts'
import { formatDollars, formatCompact } from '../text/format-amounts.ts'
import { countBudgetTokens } from '../admission/budget.ts'

export interface SpentTotals {
  usd: number
  tokens: number
  /** Iterations of unknown cost: the sum is too low by these. */
  unknown: number
  /** Iterations whose cost is an estimate by list prices. */
  estimated: number
}

export const NOTHING_SPENT: SpentTotals = { usd: 0, tokens: 0, unknown: 0, estimated: 0 }

export function addToSpent(spent: SpentTotals, usage: Usage | null): SpentTotals {
  return {
    usd: spent.usd + (usage?.usd ?? 0),
    tokens: spent.tokens + (usage === null ? 0 : countBudgetTokens(usage)),
    unknown: spent.unknown + (usage?.usd === undefined ? 1 : 0),
    estimated: spent.estimated + (usage?.estimated === true ? 1 : 0),
  }
}

/** The cost of an iteration, as far as the vendor reports it. */
export function formatCost(usage: Usage | null): string {
  if (usage === null) return 'cost unknown'
  const tokens = countBudgetTokens(usage)
  const parts = [
    usage.usd === undefined ? null : formatDollars(usage.usd, usage),
    tokens > 0 ? `${formatCompact(tokens)} tokens` : null,
  ]
  return parts.filter((part) => part !== null).join(' · ') || 'cost unknown'
}
