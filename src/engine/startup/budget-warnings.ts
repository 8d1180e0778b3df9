/** Warnings before the first call: which budgets cannot be enforced, because the agent reports its usage too late or not at all. */
import type { Driver } from '../../agents/driver.ts'
import { formatDollars } from '../../core/text/format-amounts.ts'
import type { BudgetRules } from '../../core/state/rules.ts'

/** Empty if no budget is set, or if the agent reports its usage while it works. */
export function budgetWarnings(driver: Driver, budget: BudgetRules): string[] {
  const remarks = [
    budget.usd === null ? null : moneyRemark(driver, budget.reserveUsd),
    budget.tokens === null ? null : tokenRemark(driver),
  ]
  return remarks.filter((remark) => remark !== null)
}

const OVERSHOOT = 'an iteration may exceed the budget'
const AT_END = 'only at the end of an iteration'
const ESTIMATE = 'an estimate from list prices (~)'

function moneyRemark({ title, liveUsage, prices, capabilities }: Driver, reserveUsd: number): string | null {
  const reckoned = `counts as ${formatDollars(reserveUsd)} (budget.reserve)`
  const { cost, tokens } = capabilities
  if (liveUsage === 'money' && cost === 'yes') return null
  if (liveUsage === 'money')
    return `${title} reports its cost while it works if it knows the model's price; otherwise an iteration ${reckoned}`
  if (liveUsage === 'tokens' && prices !== null)
    return `${title} reports its cost ${AT_END}; until then Ralph estimates it from tokens and list prices (~)`
  if (cost !== 'no') return `${title} reports its cost ${AT_END}${cost === 'yes' ? '' : ', if at all'}: ${OVERSHOOT}`
  if (tokens === 'no' || prices === null)
    return `${title} does not report its cost: each iteration ${reckoned}, and ${OVERSHOOT}`
  const unknown = prices.fallback === null ? `; a model that is not on the list ${reckoned}` : ''
  return `${title} reports its tokens ${AT_END}, and their cost is ${ESTIMATE}${unknown}: ${OVERSHOOT}`
}

function tokenRemark({ title, liveUsage, capabilities: { tokens } }: Driver): string | null {
  if (tokens === 'no') return `${title} does not report its tokens, so a token budget has no effect`
  // Agents that report money step by step report tokens with it.
  return liveUsage === 'nothing' ? `${title} reports its tokens ${AT_END}: ${OVERSHOOT}` : null
}
