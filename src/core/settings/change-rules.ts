/**
 * Which rules of a run may change: by `ralph set` while it runs, or in `replay --what-if`. Everything else is fixed when the run starts,
 * so that an agent that edits a settings file changes nothing.
 */
import { isRuleKey, RULE_KEYS, ruleByName, ruleValue, withRuleValue, type RuleKey } from './rule-table.ts'
import { flagInValue, describeFlagInValue, type RuleDefinition } from './rule.ts'
import { parseValue, formatValue, type ValueKind, type SettingValue } from '../text/value-kind.ts'
import { suggest } from '../text/suggest.ts'
import type { Rules } from '../state/rules.ts'

export type RuleChangeResult = { rules: Rules; said: string } | { problem: string }

/** The rules that `ralph set` may change during a run. */
export const CHANGEABLE_RULES: readonly RuleKey[] = /* @__PURE__ */ RULE_KEYS.filter(
  (key) => ruleOf(key).changes === 'live',
)

/** The rules that `replay --what-if` may change: also those that decide only by recorded facts. */
export const WHAT_IF_RULES: readonly RuleKey[] = /* @__PURE__ */ RULE_KEYS.filter(
  (key) => ruleOf(key).changes !== undefined,
)

export function isChangeableRule(key: string): key is RuleKey {
  return isRuleKey(key) && CHANGEABLE_RULES.includes(key)
}

/** Sets one rule of a run, or returns why it cannot. */
export function changeRule(rules: Rules, key: string, text: string): RuleChangeResult {
  if (!isChangeableRule(key)) return { problem: notChangeable(key) }
  const reading = parseRuleValue(key, text)
  if (!reading.ok) return { problem: reading.problem }
  const was = formatRuleValue(rules, key)
  const now = formatValue(kindOf(key), reading.value)
  const after = withChangedRule(rules, key, reading.value)
  const also = key !== 'model.strategy' && after.model.strategy !== rules.model.strategy ? FIXED : ''
  if (was !== now) return { rules: after, said: `${key} is now ${now} (was ${was})${also}` }
  // Setting the same model again fixes it where a strategy chose another one.
  return also === '' ? { rules, said: `${key} is already ${now}` } : { rules: after, said: `${key} is ${now}${also}` }
}

const FIXED = ', and model.strategy is now fixed'

/** Parses the value of a rule as `ralph set` accepts it. */
export function parseRuleValue(key: RuleKey, text: string): ReturnType<typeof parseValue> {
  const reading = parseValue(kindOf(key), text.trim(), 'words')
  if (!reading.ok) return { ok: false, problem: `${key}: ${reading.problem}` }
  const flag = ruleOf(key).argument === true ? flagInValue(reading.value) : undefined
  return flag === undefined ? reading : { ok: false, problem: `${key}: ${describeFlagInValue(flag)}` }
}

/** The current value, as a person would type it. */
export function formatRuleValue(rules: Rules, key: RuleKey): string {
  return formatValue(kindOf(key), ruleValue(rules, key))
}

/** An iteration limit set during a run replaces `--once`, and a model replaces a strategy. */
export function withChangedRule(rules: Rules, key: RuleKey, value: SettingValue): Rules {
  const after = withRuleValue(rules, key, value)
  if (key === 'agent.model' && value !== null) return { ...after, model: { ...after.model, strategy: 'fixed' } }
  if (key !== 'loop.max_iterations' || after.loop.once !== true) return after
  return { ...after, loop: { ...after.loop, once: false } }
}

/** The meaning of `auto` is decided when the run starts, so `auto` is not allowed afterwards. */
function kindOf(key: RuleKey): ValueKind {
  const { kind, auto } = ruleOf(key)
  if (auto === undefined) return kind
  const { or: _, ...settled } = kind
  return settled
}

function ruleOf(key: RuleKey): RuleDefinition {
  return ruleByName(key)
}

function notChangeable(key: string): string {
  const near = suggest(key, CHANGEABLE_RULES)
  const meant = near === null ? '' : ` Did you mean ${near}?`
  return `${key} can't change during a run.${meant} These can: ${CHANGEABLE_RULES.join(', ')}`
}
