/**
 * What may change of a run's rules: by `ralph set` while it goes on, or in `replay --what-if`. Everything else is fixed when the run starts,
 * so that an agent that edits a settings file changes nothing.
 */
import { isRuleKey, RULE_KEYS, ruleByName, ruleValue, withRule, type RuleKey } from './rule-table.ts'
import { leadingFlag, describeFlag, type Rule } from './rule.ts'
import { parseValue, formatValue, type ValueKind, type Value } from '../text/value-kind.ts'
import { suggest } from '../text/suggest.ts'
import type { Rules } from '../state/rules.ts'

export type RulesChange = { rules: Rules; said: string } | { problem: string }

/** What `ralph set` may change while a run goes on. */
export const CHANGEABLE_RULES: readonly RuleKey[] = /* @__PURE__ */ RULE_KEYS.filter(
  (key) => ruleOf(key).changes === 'live',
)

/** What `replay --what-if` may change besides: it decides nothing but what is in a record. */
export const REPLAYABLE_RULES: readonly RuleKey[] = /* @__PURE__ */ RULE_KEYS.filter(
  (key) => ruleOf(key).changes !== undefined,
)

export function isChangeableRule(key: string): key is RuleKey {
  return isRuleKey(key) && CHANGEABLE_RULES.includes(key)
}

/** Puts one new value into the rules of a run, or says why it cannot be. */
export function changeRule(rules: Rules, key: string, text: string): RulesChange {
  if (!isChangeableRule(key)) return { problem: notChangeable(key) }
  const reading = parseRuleValue(key, text)
  if (!reading.ok) return { problem: reading.problem }
  const was = formatRuleValue(rules, key)
  const now = formatValue(kindOf(key), reading.value)
  const after = withChangedRule(rules, key, reading.value)
  const also = key !== 'model.strategy' && after.model.strategy !== rules.model.strategy ? FIXED : ''
  if (was !== now) return { rules: after, said: `${key} is now ${now} (was ${was})${also}` }
  // A model that a strategy kept from working is said again to have it work.
  return also === '' ? { rules, said: `${key} is ${now} already` } : { rules: after, said: `${key} is ${now}${also}` }
}

const FIXED = ', and model.strategy is now fixed'

/** A value of a rule, as `ralph set` takes it. */
export function parseRuleValue(key: RuleKey, text: string): ReturnType<typeof parseValue> {
  const reading = parseValue(kindOf(key), text.trim(), 'words')
  if (!reading.ok) return { ok: false, problem: `${key}: ${reading.problem}` }
  const flag = ruleOf(key).argument === true ? leadingFlag(reading.value) : undefined
  return flag === undefined ? reading : { ok: false, problem: `${key}: ${describeFlag(flag)}` }
}

/** What holds, as one would type it. */
export function formatRuleValue(rules: Rules, key: RuleKey): string {
  return formatValue(kindOf(key), ruleValue(rules, key))
}

/** A limit that is said during a run takes the place of what `--once` said, and a model the place of a strategy. */
export function withChangedRule(rules: Rules, key: RuleKey, value: Value): Rules {
  const after = withRule(rules, key, value)
  if (key === 'agent.model' && value !== null) return { ...after, model: { ...after.model, strategy: 'fixed' } }
  if (key !== 'loop.max_iterations' || after.loop.once !== true) return after
  return { ...after, loop: { ...after.loop, once: false } }
}

/** What `auto` means was settled when the run began: nobody can say it afterwards. */
function kindOf(key: RuleKey): ValueKind {
  const { kind, auto } = ruleOf(key)
  if (auto === undefined) return kind
  const { or: _, ...settled } = kind
  return settled
}

function ruleOf(key: RuleKey): Rule {
  return ruleByName(key)
}

function notChangeable(key: string): string {
  const near = suggest(key, CHANGEABLE_RULES)
  const meant = near === null ? '' : ` Did you mean ${near}?`
  return `${key} cannot be changed during a run.${meant} These can: ${CHANGEABLE_RULES.join(', ')}`
}
