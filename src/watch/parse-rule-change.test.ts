import { expect, test } from 'vitest'
import type { Rules } from '../core/state/rules.ts'
import { someRules } from '../../test/kit/core.ts'
import { parseRuleChange } from './parse-rule-change.ts'

const RULES = someRules()

test.each<[string, Rules]>([
  ['breaker.cooldown=10m', { ...RULES, breaker: { ...RULES.breaker, cooldownMs: 600_000 } }],
  ['exit.confirm=auto', { ...RULES, exit: { ...RULES.exit, confirm: null } }],
  ['budget.minutes=2h', { ...RULES, budget: { ...RULES.budget, minutes: 120 } }],
])('%s is put where it stands in the rules', (text, expected) => {
  expect(parseRuleChange(text)(RULES)).toEqual(expected)
})

test.each([
  // What auto means was settled when the run began.
  ['exit.denial=auto', 'exit.denial: found "auto", expected "halt" or "threshold" or "continue"'],
  ['exit.denial=never', 'exit.denial: found "never", expected "halt" or "threshold" or "continue"'],
  ['ui.live=true', 'ui.live has no effect in --what-if'],
  ['loop.prompt', '--what-if takes KEY=VALUE, not "loop.prompt"'],
])('%s is refused before anything is folded', (text, message) => {
  expect(() => parseRuleChange(text)).toThrow(message)
})
