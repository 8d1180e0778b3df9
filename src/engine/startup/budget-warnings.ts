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

const OVERSHOOT = 'an iteration may overshoot the budget'
const AT_END = 'only at the end of an iteration'
const ESTIMATE = 'an estimate from list prices (~)'

function moneyRemark({ title, liveUsage, prices, capabilities }: Driver, reserveUsd: number): string | null {
  const reckoned = `is reckoned at ${formatDollars(reserveUsd)} (budget.reserve)`
  const { cost, tokens } = capabilities
  if (liveUsage === 'money' && cost === 'yes') return null
  if (liveUsage === 'money')
    return `${title} tells its cost step by step where it knows the model's price; an iteration without one ${reckoned}`
  if (liveUsage === 'tokens' && prices !== null)
    return `${title} tells its cost ${AT_END}: until then the budget is held by its tokens and ${ESTIMATE}`
  if (cost !== 'no') return `${title} tells its cost ${AT_END}${cost === 'yes' ? '' : ', if at all'}: ${OVERSHOOT}`
  if (tokens === 'no' || prices === null)
    return `${title} does not tell its cost: each iteration ${reckoned}, and ${OVERSHOOT}`
  const unknown = prices.fallback === null ? `; a model that is not on the list ${reckoned}` : ''
  return `${title} tells its tokens ${AT_END}, and their cost is ${ESTIMATE}${unknown}: ${OVERSHOOT}`
}

function tokenRemark({ title, liveUsage, capabilities: { tokens } }: Driver): string | null {
  if (tokens === 'no') return `${title} does not tell its tokens: a token budget cannot be held`
  // Agents that report money step by step report tokens with it.
  return liveUsage === 'nothing' ? `${title} tells its tokens ${AT_END}: ${OVERSHOOT}` : null
}
