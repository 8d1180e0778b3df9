import { describe, expect, test } from 'vitest'
import { driverFor } from '../../agents/registry.ts'
import type { BudgetRules } from '../../core/state/rules.ts'
import { budgetWarnings } from './budget-warnings.ts'

const NONE: BudgetRules = { usd: null, tokens: null, minutes: null, reserveUsd: 1 }
const OWN = { output: 'jsonl' as const, env: {}, command: ['mine'] }
const CUSTOM = {
  mine: { ...OWN, fields: { text: 't', usd: 'cost', input: 'in' } },
  counting: { ...OWN, fields: { text: 't', input: 'in' } },
}

function said(name: string, budget: Partial<BudgetRules>): string[] {
  return budgetWarnings(driverFor(name, CUSTOM), { ...NONE, ...budget })
}

const OVERSHOOT = 'an iteration may exceed the budget'

describe('a money budget', () => {
  test.each([
    [
      'claude',
      'Claude Code reports its cost only at the end of an iteration; until then Ralph estimates it from tokens and list prices (~)',
    ],
    [
      'codex',
      `OpenAI Codex reports its tokens only at the end of an iteration, and their cost is an estimate from list prices (~): ${OVERSHOOT}`,
    ],
    [
      'gemini',
      `Gemini CLI reports its tokens only at the end of an iteration, and their cost is an estimate from list prices (~): ${OVERSHOOT}`,
    ],
    [
      'opencode',
      "OpenCode reports its cost while it works if it knows the model's price; otherwise an iteration counts as $1.00 (budget.reserve)",
    ],
    [
      'copilot',
      `GitHub Copilot CLI reports its tokens only at the end of an iteration, and their cost is an estimate from list prices (~); a model that is not on the list counts as $1.00 (budget.reserve): ${OVERSHOOT}`,
    ],
    ['acp:any', `any (ACP) reports its cost only at the end of an iteration, if at all: ${OVERSHOOT}`],
    ['plain', `plain does not report its cost: each iteration counts as $1.00 (budget.reserve), and ${OVERSHOOT}`],
    [
      'counting',
      `counting does not report its cost: each iteration counts as $1.00 (budget.reserve), and ${OVERSHOOT}`,
    ],
  ])('with %s', (name, remark) => {
    expect(said(name, { usd: 5 })).toEqual([remark])
  })

  test('of an agent that tells its cost step by step goes without saying', () => {
    expect(said('mine', { usd: 5, tokens: 100 })).toEqual([])
  })
})

describe('a token budget', () => {
  test.each([
    ['claude', []],
    ['opencode', []],
    ['counting', []],
    ['codex', [`OpenAI Codex reports its tokens only at the end of an iteration: ${OVERSHOOT}`]],
    ['cursor', [`Cursor reports its tokens only at the end of an iteration: ${OVERSHOOT}`]],
    ['plain', ['plain does not report its tokens, so a token budget has no effect']],
  ])('with %s', (name, remarks) => {
    expect(said(name, { tokens: 100 })).toEqual(remarks)
  })
})

test('without a budget nothing is said', () => {
  for (const name of ['claude', 'codex', 'plain']) expect(said(name, { minutes: 9 })).toEqual([])
})
