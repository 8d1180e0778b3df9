/** One setting put into the rules of a run that is long over, for `replay --what-if`. */
import { isSettingKey, SETTING_KEYS, settingOf, type SettingKey } from '../config/settings.ts'
import { RalphError } from '../domain/error.ts'
import { readValue } from '../domain/text/kind.ts'
import { change, CHANGEABLE } from '../domain/run/change-rules.ts'
import type { Rules } from '../domain/run/rules.ts'
import { suggest } from '../domain/text/suggest.ts'

/** Where a setting stands in the rules; those that `ralph set` knows too are changed as it does. */
const PLACES: Partial<Record<SettingKey, [group: Exclude<keyof Rules, 'gates'>, field: string]>> = {
  'budget.reserve': ['budget', 'reserveUsd'],
  'breaker.denials': ['breaker', 'denials'],
  'breaker.output_decline': ['breaker', 'outputDecline'],
  'breaker.half_open': ['breaker', 'halfOpenAt'],
  'breaker.cooldown': ['breaker', 'cooldownMs'],
  'breaker.auto_reset': ['breaker', 'autoReset'],
  'breaker.wait': ['breaker', 'wait'],
  'exit.test_only': ['exit', 'testOnly'],
  'exit.done_signals': ['exit', 'doneSignals'],
  'exit.safety': ['exit', 'safety'],
  'exit.confirm': ['exit', 'confirm'],
  'exit.plan': ['exit', 'plan'],
  'exit.denial': ['exit', 'denial'],
  'retry.first': ['retry', 'firstMs'],
  'retry.max': ['retry', 'maxMs'],
  'retry.limit_wait': ['retry', 'limitWaitMs'],
  'proof.baseline': ['proof', 'baseline'],
  'proof.reruns': ['proof', 'reruns'],
  'proof.level': ['proof', 'level'],
  'proof.trials': ['proof', 'trials'],
  'proof.quarantine': ['proof', 'quarantine'],
  'loop.commit': ['loop', 'commit'],
}

/** Reads `key=value` and gives what it does to a run's rules. What cannot be used is refused before anything is folded. */
export function ruleChange(text: string): (rules: Rules) => Rules {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === '') {
    throw new RalphError('usage', `--what-if takes KEY=VALUE, not "${text}"`, {
      hint: 'Like this: --what-if breaker.no_progress=2',
    })
  }
  if (Object.hasOwn(CHANGEABLE, key)) return (rules) => changedAsBySet(rules, key, value)
  const place = isSettingKey(key) ? PLACES[key] : undefined
  if (!isSettingKey(key) || place === undefined) throw unknown(key)
  const reading = readValue(settingOf(key).kind, value.trim(), 'words')
  if (!reading.ok) throw new RalphError('usage', `${key}: ${reading.problem}`)
  const [group, field] = place
  // The table above pairs each key with a field of the kind that the setting has.
  return (rules) => ({ ...rules, [group]: { ...rules[group], [field]: reading.value } })
}

function changedAsBySet(rules: Rules, key: string, value: string): Rules {
  const done = change(rules, key, value)
  if ('problem' in done) throw new RalphError('usage', done.problem)
  return done.rules
}

function unknown(key: string): RalphError {
  const known = SETTING_KEYS.filter((one) => Object.hasOwn(CHANGEABLE, one) || PLACES[one] !== undefined)
  const near = suggest(key, known)
  return new RalphError('usage', `${key} decides nothing in a record`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}These do: ${known.join(', ')}`,
  })
}
