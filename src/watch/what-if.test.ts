import { describe, expect, test } from 'vitest'
import type { Row } from '../core/state/row.ts'
import type { Rules } from '../core/state/rules.ts'
import { playRun, type AgentTurn } from '../../test/kit/core.ts'
import { parseRuleChange } from './parse-rule-change.ts'
import { whatIf, type WhatIfResult } from './what-if.ts'

async function* stream(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

function ask(rows: Row[], ...changes: string[]): Promise<WhatIfResult> {
  const steps = changes.map(parseRuleChange)
  return whatIf(stream(rows), (rules: Rules) => steps.reduce((changed, change) => change(changed), rules))
}

const BUSY: AgentTurn = { files: 1 }
const IDLE: AgentTurn = { files: 0 }
const DONE: AgentTurn = { done: true, checkboxes: { open: 0, done: 3 }, green: true }

test('the same settings decide the same way', async () => {
  const rows = playRun([BUSY, IDLE, BUSY, DONE])
  expect(await ask(rows, 'breaker.no_progress=3')).toEqual({
    rows: rows.length,
    foreign: false,
    first: null,
    later: [],
    laterCount: 0,
  })
})

test('a stricter breaker: the first row that differs, with both reasons, then each later one on recorded facts', async () => {
  const rows = playRun([BUSY, IDLE, IDLE, BUSY, IDLE, IDLE, DONE])
  const { first, later, laterCount } = await ask(rows, 'breaker.no_progress=2')
  expect([first?.iteration, first?.event]).toEqual([3, 'snapshot-taken'])
  expect(first?.recorded).toEqual([
    { by: 'breaker', what: 'half-open', why: '2 iterations without progress', worker: '1' },
    { by: 'loop', what: 'next', why: 'iteration 4 is next' },
  ])
  expect(first?.instead).toEqual([
    { by: 'breaker', what: 'open', why: 'no changes in 2 iterations in a row', worker: '1' },
    {
      by: 'exit',
      what: 'end',
      why: 'breaker: the breaker is open: no changes in 2 iterations in a row',
      worker: '1',
    },
  ])
  // An open breaker stays open, so every further iteration would have met it; in the last one the recorded breaker closed.
  expect(later.map(({ iteration }) => iteration)).toEqual([4, 5, 6, 7])
  expect([laterCount, later.at(-1)?.recorded[0]?.why]).toEqual([4, 'the agent made progress again'])
})

describe('another strategy', () => {
  const named = (rules: Rules): Rules => ({
    ...rules,
    agent: { ...rules.agent, models: { claude: { light: 'haiku', medium: 'sonnet', strong: 'opus' } } },
    model: { strategy: 'escalate' },
  })

  test('differs where it would have chosen another model, with both reasons', async () => {
    const { first } = await ask(playRun([BUSY, BUSY, DONE], named), 'model.strategy=plan-then-execute')
    expect([first?.iteration, first?.recorded, first?.instead]).toEqual([
      1,
      [
        {
          by: 'model',
          what: 'haiku',
          why: 'escalate: light (haiku), because no attempt has failed yet',
          worker: '1',
        },
      ],
      [
        {
          by: 'model',
          what: 'opus',
          why: 'plan-then-execute: strong (opus), because the first attempt plans',
          worker: '1',
        },
      ],
    ])
  })

  test('or where one model would have done all', async () => {
    const { first } = await ask(playRun([BUSY, DONE], named), 'agent.model=best')
    expect(first?.instead).toEqual([{ by: 'model', what: 'best', why: 'the model is fixed: best', worker: '1' }])
    const { first: same } = await ask(playRun([BUSY, DONE], named), 'agent.model=haiku')
    expect(same).toBeNull()
  })
})

test('a smaller budget ends the run where the money is gone', async () => {
  const rows = playRun([BUSY, BUSY, BUSY, BUSY, DONE])
  const { first } = await ask(rows, 'budget.usd=1.2')
  expect([first?.iteration, first?.instead]).toEqual([
    2,
    [
      {
        by: 'exit',
        what: 'end',
        why: 'cost_limit: $0.20 of $1.20 is left and the next iteration may cost $0.50',
        worker: '1',
      },
    ],
  ])
})

test('an exit rule that asks for more signals goes on', async () => {
  const rows = playRun([{ ...DONE, checkboxes: { open: 0, done: 0 } }])
  const { first } = await ask(rows, 'exit.confirm=2')
  expect([
    first?.recorded.map(({ by, what }) => `${by} ${what}`),
    first?.instead.map(({ by, what }) => `${by} ${what}`),
  ]).toEqual([
    ['iteration ended', 'proof check', 'proof gate test'],
    ['iteration ended', 'loop next'],
  ])
})

test('a quota is judged again on what was counted then', async () => {
  const rows = playRun([BUSY, BUSY, BUSY, DONE])
  const { first } = await ask(rows, 'quota.calls_per_hour=2')
  expect([first?.event, first?.instead]).toEqual([
    'admitted',
    [{ by: 'quota', what: 'wait', why: '2 of 2 calls used this hour' }],
  ])
})

test('several changes hold together', async () => {
  const rows = playRun([BUSY, IDLE, IDLE, DONE])
  const { first } = await ask(rows, 'breaker.no_progress=2', 'loop.max_iterations=1')
  expect(first?.iteration).toBe(1)
})

test('rows of other rules of Ralph itself are not judged', async () => {
  const rows = playRun([BUSY, DONE])
  const mixed = rows.map((row, index) => (index < 4 ? row : { ...row, rules: 999 }))
  expect(await ask(mixed, 'breaker.no_progress=2')).toEqual({
    rows: 4,
    foreign: true,
    first: null,
    later: [],
    laterCount: 0,
  })
})

describe('what cannot be changed is refused with the next step', () => {
  test.each([
    ['breaker.no_progres=2', 'breaker.no_progres has no effect in --what-if', /^Did you mean breaker\.no_progress\?/],
    ['ui.live=true', 'ui.live has no effect in --what-if', /Use one of: agent\.model/],
    ['breaker', '--what-if takes KEY=VALUE, not "breaker"', /breaker\.no_progress=2/],
    ['exit.confirm=many', 'exit.confirm: found "many", expected a whole number of at least 1, or "auto"', null],
  ])('%s', (text, message, hint) => {
    const refuse = (): unknown => parseRuleChange(text)
    expect(refuse).toThrow(
      expect.objectContaining({
        message,
        ...(hint === null ? {} : { hint: expect.stringMatching(hint) as string }),
      }),
    )
  })
})
