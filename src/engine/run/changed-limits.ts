/**
 * What somebody types who goes on with a run. It goes on by the rules it began with, but what was just typed is meant: a limit is set, as `ralph
 * set` would; what cannot be changed any more is refused, for whoever reads no word of it would think that it holds.
 */
import { RalphError } from '../../core/error.ts'
import { CHANGEABLE_RULES, isChangeableRule, formatRuleValue } from '../../core/settings/change-rules.ts'
import type { Request } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Rules } from '../../core/state/rules.ts'
import { RULE_KEYS, ruleValue } from '../../core/settings/rule-table.ts'
import { resolveToolList } from '../startup/agent-tools.ts'
import type { LockedTree } from './locked-tree.ts'

export function changedLimitRequests({ settings, rules, typedRules = [] }: LockedTree): Request[] {
  return CHANGEABLE_RULES.filter((key) => typedRules.includes(key) || settings.origin(key).from === 'flag').map(
    (key) => ({
      id: null,
      from: 'flag',
      do: 'set',
      key,
      value: formatRuleValue(rules, key),
    }),
  )
}

/** What is typed as it was when the run began changes nothing, and is refused to nobody. */
export function refuseIneffectiveSettings(lockedTree: LockedTree, { run }: RunState): void {
  const flag = inVain(lockedTree, run.rules)
  if (flag === null) return
  throw new RalphError(
    'usage',
    `run ${run.id} is unfinished and goes on by the rules it began with: --${flag} would change nothing`,
    {
      hint: 'Go on without it: ralph resume. Or give the run up and begin anew: the same command with --fresh',
    },
  )
}

function inVain({ root, settings, rules: asked }: LockedTree, kept: Rules): string | null {
  if (asked.loop.once === true && kept.loop.once !== true) return 'once'
  const { agent } = asked
  // As the run keeps them: of the agents those that are there, and the whole list of tools.
  const order = agent.order.filter((name) => kept.agent.order.includes(name))
  const tools = resolveToolList({ root, settings, rules: asked })
  const rules: Rules = { ...asked, agent: { ...agent, order, tools } }
  for (const key of ['agent.allow', ...RULE_KEYS.filter((one) => !isChangeableRule(one))] as const) {
    const origin = settings.origin(key)
    if (origin.from !== 'flag') continue
    const about = key === 'agent.allow' ? 'agent.tools' : key
    if (JSON.stringify(ruleValue(rules, about)) !== JSON.stringify(ruleValue(kept, about))) return origin.flag
  }
  return null
}
