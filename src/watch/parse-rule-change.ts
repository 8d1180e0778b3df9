/** Applies one setting to the rules of a recorded run, for `replay --what-if`. */
import { RalphError } from '../core/error.ts'
import { withChangedRule, parseRuleValue, WHAT_IF_RULES } from '../core/settings/change-rules.ts'
import type { Rules } from '../core/state/rules.ts'
import { suggest } from '../core/text/suggest.ts'

/** Parses `key=value` and returns the change of a run's rules. Rejects invalid input before anything is folded. */
export function parseRuleChange(text: string): (rules: Rules) => Rules {
  const [, typed = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (typed === '') {
    throw new RalphError('usage', `--what-if takes KEY=VALUE, not "${text}"`, {
      hint: 'Example: --what-if breaker.no_progress=2',
    })
  }
  const key = WHAT_IF_RULES.find((one) => one === typed)
  if (key === undefined) throw unknown(typed)
  const reading = parseRuleValue(key, value)
  if (!reading.ok) throw new RalphError('usage', reading.problem)
  return (rules) => withChangedRule(rules, key, reading.value)
}

function unknown(key: string): RalphError {
  const near = suggest(key, WHAT_IF_RULES)
  return new RalphError('usage', `${key} has no effect in --what-if`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}Use one of: ${WHAT_IF_RULES.join(', ')}`,
  })
}
