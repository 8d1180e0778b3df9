import { describe, expect, test } from 'vitest'
import type { FailureKind } from './agent-io.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { RunState } from '../state/state.ts'
import type { Row } from '../state/row.ts'
import type { Rules } from '../state/rules.ts'
import { playRun, START_TIME, type AgentTurn } from '../../../test/kit/core.ts'
import { step } from '../run/step.ts'

const HOUR = 3_600_000
const OVERLOADED: AgentTurn = { files: 0, fails: { kind: 'server', message: 'API Error: 529 Overloaded' } }
const DONE: AgentTurn = { done: true, green: true, checkboxes: { open: 0, done: 3 } }

/** Agents in this order; patience as given. */
function ordered(order: string[], change: Partial<Rules['retry']> = {}): (rules: Rules) => Rules {
  return (rules) => ({
    ...rules,
    agent: { ...rules.agent, order },
    retry: { ...rules.retry, ...change },
    loop: { ...rules.loop, iterationsMax: 3 },
  })
}

function asked<T extends Effect['type']>(rows: Row[], type: T): EffectOf<T>[] {
  return rows.flatMap((row) => row.effects).filter((effect): effect is EffectOf<T> => effect.type === type)
}

function agents(rows: Row[]): string[] {
  return asked(rows, 'run-agent').map(({ agent }) => agent)
}

function why(rows: Row[], what: string): string[] {
  return rows.flatMap((row) => row.decisions).flatMap((one) => (one.what === what ? [one.why] : []))
}

/** The state after these rows. */
function stateOf(rows: Row[]): RunState {
  const state = rows.reduce<RunState | null>((before, row) => step(before, row.event, row).state, null)
  if (state === null) throw new Error('no rows')
  return state
}

describe('what waiting cannot cure', () => {
  const BROKE: AgentTurn = { files: 0, fails: { kind: 'balance', message: 'Credit balance is too low' } }

  test.each<[FailureKind, string]>([
    ['balance', 'claude: no. Top up the account or raise its spending limit.'],
    ['authentication', 'claude: no. Log in again, or set a valid key.'],
    ['permission', 'claude: no. Give the account access, or use another one.'],
    ['model', 'claude: no. Choose another model: --model NAME.'],
    ['missing', 'claude: no. Install it, or choose another agent: ralph agents.'],
  ])('%s ends the run at once with the sentence and the cure', (kind, reason) => {
    const rows = playRun([{ files: 0, fails: { kind, message: 'no' } }], ordered(['claude']))
    const [, fix = ''] = reason.split('claude: no. ')
    const cause = { is: 'agent', agent: 'claude', kind, fix, command: null }
    const outcome = { is: 'agent_unusable', reason, verdict: 'unproven', exit: 6, cause }
    expect(stateOf(rows).run.outcome).toMatchObject(outcome)
    expect(agents(rows)).toEqual(['claude'])
    expect(asked(rows, 'wait')).toEqual([])
  })

  test('the vendor’s own cure is told where its driver knows one', () => {
    const fails = { kind: 'authentication', message: 'Not logged in', fix: 'Log in: codex login' } as const
    const rows = playRun([{ files: 0, fails }], ordered(['codex']))
    expect(stateOf(rows).run.outcome?.reason).toBe('codex: Not logged in. Log in: codex login')
  })

  test('the next agent takes over and the broken one is never asked again', () => {
    const rows = playRun([BROKE, {}, {}, DONE], ordered(['claude', 'codex']))
    expect(agents(rows)).toEqual(['claude', 'codex', 'codex', 'codex'])
    expect(stateOf(rows).run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
    expect(why(rows, 'switch')).toEqual([
      'claude: Credit balance is too low. Top up the account or raise its spending limit. codex goes on.',
    ])
  })

  test('who is left rests at a limit: then his reset is waited for', () => {
    const at = START_TIME + 10 * HOUR
    const limit: AgentTurn = { files: 0, fails: { kind: 'usage-limit', message: 'limit', resetsAt: at } }
    const rows = playRun([limit, BROKE, DONE], ordered(['codex', 'claude']))
    expect(agents(rows)).toEqual(['codex', 'claude', 'codex'])
    expect(asked(rows, 'wait').map(({ until, why: words }) => [until, words])).toEqual([
      [at, 'codex hit its usage limit'],
    ])
  })

  test('all of them broken: each sentence is told', () => {
    const key: AgentTurn = { files: 0, fails: { kind: 'authentication', message: 'API key expired' } }
    const rows = playRun([BROKE, key], ordered(['claude', 'codex']))
    expect(stateOf(rows).run.outcome?.reason).toBe(
      'codex: API key expired. Log in again, or set a valid key. claude: Credit balance is too low. Top up the account or raise its spending limit.',
    )
  })
})

describe('what says nothing about the work', () => {
  test('another agent takes over, and the first one is asked again after its back-off', () => {
    const rows = playRun([OVERLOADED, {}, DONE], ordered(['claude', 'codex']))
    expect(agents(rows)).toEqual(['claude', 'codex', 'claude'])
    expect(why(rows, 'switch')).toEqual(['codex takes over: claude cannot be reached'])
    expect(stateOf(rows).workers['1']?.breaker).toMatchObject({
      is: 'closed',
      counts: { failed: 0, idle: 0 },
    })
  })

  test('its back-off grows although the other one works well', () => {
    const rows = playRun([OVERLOADED, {}, OVERLOADED, {}, {}, OVERLOADED, {}, {}, {}, DONE], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'codex'] },
      retry: { ...rules.retry, firstMs: 60_000 },
    }))
    const tried = agents(rows).flatMap((name, i) => (name === 'claude' ? [i] : []))
    expect(tried).toEqual([0, 2, 5])
  })

  test('one agent alone is waited for with back-off, longer than any breaker’s patience, and counts as no attempt', () => {
    const rows = playRun([...Array<AgentTurn>(9).fill(OVERLOADED), DONE], ordered(['claude']))
    const { run, workers } = stateOf(rows)
    expect(run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
    expect(workers['1']).toMatchObject({ iteration: 10, counted: 1 })
    expect(asked(rows, 'wait').map(({ forMs }) => forMs)).toEqual(
      [5, 10, 20, 40, 80, 160, 300, 300, 300].map((s) => s * 1_000),
    )
    expect(asked(rows, 'wait')[1]).toMatchObject({
      why: 'claude cannot be reached (API Error: 529 Overloaded)',
      outage: { since: START_TIME + 60_000, outageDeadline: START_TIME + 60_000 + 2 * HOUR },
    })
    expect(run.cooldowns).toEqual({})
  })

  test('calls that are refused at the door cost nothing of a budget', () => {
    const refused: AgentTurn = { ...OVERLOADED, usage: null, tools: 0 }
    const rows = playRun([refused, refused, refused, refused, DONE], (rules) => ({
      ...rules,
      budget: { ...rules.budget, usd: 2, reserveUsd: 1 },
    }))
    expect(stateOf(rows).run).toMatchObject({
      outcome: { is: 'project_complete' },
      budget: { usd: 0.5, estimatedUsd: 0, unknown: 0, recentUsd: [0.5], reserved: {} },
    })
  })

  test('after retry.outage the run is left unfinished, and the same command goes on with it', () => {
    const rows = playRun([OVERLOADED], ordered(['claude'], { outageMs: 10 * 60_000 }))
    const left = stateOf(rows)
    expect(left.run).toMatchObject({
      is: 'left',
      outcome: {
        is: 'outage',
        reason: 'no agent could be reached for 10m: claude cannot be reached (API Error: 529 Overloaded)',
        exit: 4,
      },
    })
    expect(rows.at(-1)?.up).toBe(11 * 60_000)
    const now = { at: START_TIME + 99 * HOUR, up: 11 * 60_000 }
    const on = step(left, { type: 'run-resumed', pid: 2, after: 'outage', version: '0' }, now)
    expect(on.state.run).toMatchObject({ is: 'going', outcome: null, cooldowns: {} })
    expect(on.effects.map((effect) => effect.type)).toEqual(['snapshot'])
  })

  test('the time waited survives a crash', () => {
    const rows = playRun([OVERLOADED], ordered(['claude']), 30)
    const before = stateOf(rows)
    const last = rows.at(-1) ?? { at: 0, up: 0 }
    const event = { type: 'run-resumed', pid: 2, after: 'crash', version: '0' } as const
    const { state } = step(before, event, { at: last.at, up: last.up })
    expect(state.run.cooldowns).toEqual(before.run.cooldowns)
    expect(state.run.cooldowns['claude']).toMatchObject({ is: 'outage', sinceUp: 60_000 })
  })

  test('with patience 0 it is left at once, but only if nobody else can be reached', () => {
    expect(agents(playRun([OVERLOADED], ordered(['claude'], { outageMs: 0 })))).toEqual(['claude'])
    const both = playRun([OVERLOADED], ordered(['claude', 'codex'], { outageMs: 0 }))
    expect(agents(both)).toEqual(['claude', 'codex'])
    expect(stateOf(both).run.is).toBe('left')
  })

  test('an agent that only rests at a limit is waited for, however long the other one is out of reach', () => {
    const limit: AgentTurn = {
      files: 0,
      fails: { kind: 'usage-limit', message: 'limit', resetsAt: START_TIME + 3 * HOUR },
    }
    const rows = playRun([limit, ...Array<AgentTurn>(50).fill(OVERLOADED)], ordered(['codex', 'claude'], {}), 600)
    expect(agents(rows).filter((name) => name === 'codex').length).toBeGreaterThan(1)
    expect(asked(rows, 'wait')[0]?.why).toBe(
      'codex hit its usage limit; claude cannot be reached (API Error: 529 Overloaded)',
    )
  })
})

describe('three limits, three sentences', () => {
  test.each<[FailureKind, number | undefined, string]>([
    ['usage-limit', START_TIME + HOUR, 'claude hit its usage limit (no); waiting until its reset'],
    ['usage-limit', undefined, 'claude hit its usage limit (no); waiting 1 h (no reset time given)'],
    ['rate-limit', undefined, 'claude is rate-limited (no); waiting 5.0 s'],
  ])('%s', (kind, resetsAt, said) => {
    const fails = { kind, message: 'no', ...(resetsAt === undefined ? {} : { resetsAt }) }
    expect(why(playRun([{ files: 0, fails }, DONE]), 'cooldown')).toEqual([said])
  })
})

describe('what may come from the work', () => {
  test('a crash counts for the breaker, whose last sentence repeats the error', () => {
    const rows = playRun([{ files: 0, fails: { kind: 'crash', message: 'segmentation fault' } }])
    expect(stateOf(rows).run.outcome?.reason).toBe(
      'the breaker is open: the same error in 5 iterations in a row: segmentation fault',
    )
  })

  test('an outage between two crashes neither adds to the count nor begins it anew', () => {
    const crash: AgentTurn = { files: 0, fails: { kind: 'crash', message: 'segmentation fault' } }
    const rows = playRun([crash, crash, OVERLOADED, crash, crash, OVERLOADED, crash], (rules) => ({
      ...rules,
      loop: { ...rules.loop, iterationsMax: 0 },
    }))
    expect(agents(rows)).toHaveLength(7)
    expect(stateOf(rows).run.outcome?.is).toBe('breaker')
  })

  test('a conversation that is too long is dropped, and the next call begins afresh', () => {
    const long: AgentTurn = { files: 0, fails: { kind: 'context-overflow', message: 'too long' } }
    const rows = playRun([long, DONE])
    expect(asked(rows, 'run-agent').map(({ resume }) => resume)).toEqual([null, null])
  })
})
