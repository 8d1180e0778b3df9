/**
 * Flags on the command that resumes a run. The run keeps the rules it began with, but a limit from a flag is set, as `ralph set` would.
 * A flag that can no longer change anything is refused: ignored silently, the user would think that it applies.
 */
import { RalphError } from '../../core/error.ts'
import { CHANGEABLE_RULES, isChangeableRule, formatRuleValue } from '../../core/settings/change-rules.ts'
import type { PersonRequest } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Rules } from '../../core/state/rules.ts'
import { RULE_KEYS, ruleValue } from '../../core/settings/rule-table.ts'
import { toolListOfRun } from '../startup/agent-tools.ts'
import type { LockedTreeContext } from './locked-tree.ts'

export function changedLimitRequests({ settings, rules, typedRules = [] }: LockedTreeContext): PersonRequest[] {
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

/** A flag with the same value as when the run began is not refused. */
export function refuseIneffectiveFlags(lockedTree: LockedTreeContext, { run }: RunState): void {
  const flag = findIneffectiveFlag(lockedTree, run.rules)
  if (flag === null) return
  throw new RalphError(
    'usage',
    `run ${run.id} is unfinished and keeps the settings it started with, so --${flag} would have no effect`,
    { hint: 'Resume without it: ralph resume. Or abandon the run and start a new one: the same command with --fresh' },
  )
}

function findIneffectiveFlag({ root, settings, rules: asked }: LockedTreeContext, kept: Rules): string | null {
  if (asked.loop.once === true && kept.loop.once !== true) return 'once'
  const { agent } = asked
  // In the form that the run keeps: only installed agents, and the complete tool list.
  const order = agent.order.filter((name) => kept.agent.order.includes(name))
  const tools = toolListOfRun({ root, settings, rules: asked })
  const rules: Rules = { ...asked, agent: { ...agent, order, tools } }
  for (const key of ['agent.allow', ...RULE_KEYS.filter((one) => !isChangeableRule(one))] as const) {
    const origin = settings.origin(key)
    if (origin.from !== 'flag') continue
    const about = key === 'agent.allow' ? 'agent.tools' : key
    if (JSON.stringify(ruleValue(rules, about)) !== JSON.stringify(ruleValue(kept, about))) return origin.flag
  }
  return null
}
