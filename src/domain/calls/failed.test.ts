import { describe, expect, test } from 'vitest'
import type { FailureKind } from './agent.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { House } from '../state/state.ts'
import type { Row } from '../state/row.ts'
import type { Rules } from '../state/rules.ts'
import { aNight, EVENING, type Turn } from '../../../test/kit/core.ts'
import { remedyFor } from '../admission/retry-policy.ts'
import { step } from '../run/step.ts'

const HOUR = 3_600_000
const OVERLOADED: Turn = { files: 0, fails: { kind: 'server', message: 'API Error: 529 Overloaded' } }
const DONE: Turn = { done: true, green: true, boxes: { open: 0, done: 3 } }

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
function houseOf(rows: Row[]): House {
  const house = rows.reduce<House | null>((before, row) => step(before, row.event, row).house, null)
  if (house === null) throw new Error('no rows')
  return house
}

describe('what waiting cannot cure', () => {
  const BROKE: Turn = { files: 0, fails: { kind: 'balance', message: 'Credit balance is too low' } }

  test.each<[FailureKind, string]>([
    ['balance', 'claude: no. Top up the account or raise its spending limit.'],
    ['authentication', 'claude: no. Log in again, or give it a valid key.'],
    ['permission', 'claude: no. Give the account access, or use another one.'],
    ['model', 'claude: no. Choose another model: --model NAME.'],
    ['missing', 'claude: no. Install it, or choose another agent: ralph agents.'],
  ])('%s ends the run at once with the sentence and the cure', (kind, reason) => {
    const rows = aNight([{ files: 0, fails: { kind, message: 'no' } }], ordered(['claude']))
    const [, cure = ''] = reason.split('claude: no. ')
    const cause = { is: 'agent', agent: 'claude', kind, cure, command: null }
    const outcome = { is: 'agent_unusable', reason, verdict: 'unproven', exit: 6, cause }
    expect(houseOf(rows).run.outcome).toMatchObject(outcome)
    expect(agents(rows)).toEqual(['claude'])
    expect(asked(rows, 'wait')).toEqual([])
  })

  test('the vendor’s own cure is told where its driver knows one', () => {
    const fails = { kind: 'authentication', message: 'Not logged in', cure: 'Log in: codex login' } as const
    const rows = aNight([{ files: 0, fails }], ordered(['codex']))
    expect(houseOf(rows).run.outcome?.reason).toBe('codex: Not logged in. Log in: codex login')
  })

  test('the next agent takes over and the broken one is never asked again', () => {
    const rows = aNight([BROKE, {}, {}, DONE], ordered(['claude', 'codex']))
    expect(agents(rows)).toEqual(['claude', 'codex', 'codex', 'codex'])
    expect(houseOf(rows).run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
    expect(why(rows, 'switch')).toEqual([
      'claude: Credit balance is too low. Top up the account or raise its spending limit. codex goes on.',
    ])
  })

  test('who is left rests at a limit: then his reset is waited for', () => {
    const at = EVENING + 10 * HOUR
    const limit: Turn = { files: 0, fails: { kind: 'usage-limit', message: 'limit', resetsAt: at } }
    const rows = aNight([limit, BROKE, DONE], ordered(['codex', 'claude']))
    expect(agents(rows)).toEqual(['codex', 'claude', 'codex'])
    expect(asked(rows, 'wait').map(({ until, why: words }) => [until, words])).toEqual([
      [at, 'codex is at its usage limit'],
    ])
  })

  test('all of them broken: each sentence is told', () => {
    const key: Turn = { files: 0, fails: { kind: 'authentication', message: 'API key expired' } }
    const rows = aNight([BROKE, key], ordered(['claude', 'codex']))
    expect(houseOf(rows).run.outcome?.reason).toBe(
      'codex: API key expired. Log in again, or give it a valid key. claude: Credit balance is too low. Top up the account or raise its spending limit.',
    )
  })
})

describe('what says nothing about the work', () => {
  test('another agent takes over, and the first one is asked again after its back-off', () => {
    const rows = aNight([OVERLOADED, {}, DONE], ordered(['claude', 'codex']))
    expect(agents(rows)).toEqual(['claude', 'codex', 'claude'])
    expect(why(rows, 'switch')).toEqual(['codex takes over while claude is not reachable'])
    expect(houseOf(rows).workers['1']?.breaker).toMatchObject({
      is: 'closed',
      counts: { failed: 0, idle: 0 },
    })
  })

  test('its back-off grows although the other one works well', () => {
    const rows = aNight([OVERLOADED, {}, OVERLOADED, {}, {}, OVERLOADED, {}, {}, {}, DONE], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'codex'] },
      retry: { ...rules.retry, firstMs: 60_000 },
    }))
    const tried = agents(rows).flatMap((name, i) => (name === 'claude' ? [i] : []))
    expect(tried).toEqual([0, 2, 5])
  })

  test('one agent alone is waited for with back-off, longer than any breaker’s patience, and counts as no attempt', () => {
    const rows = aNight([...Array<Turn>(9).fill(OVERLOADED), DONE], ordered(['claude']))
    const { run, workers } = houseOf(rows)
    expect(run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
    expect(workers['1']).toMatchObject({ iteration: 10, counted: 1 })
    expect(asked(rows, 'wait').map(({ forMs }) => forMs)).toEqual(
      [5, 10, 20, 40, 80, 160, 300, 300, 300].map((s) => s * 1_000),
    )
    expect(asked(rows, 'wait')[1]).toMatchObject({
      why: 'claude is not reachable (API Error: 529 Overloaded)',
      outage: { since: EVENING + 60_000, givesUpAt: EVENING + 60_000 + 2 * HOUR },
    })
    expect(run.rests).toEqual({})
  })

  test('calls that are refused at the door cost nothing of a budget', () => {
    const refused: Turn = { ...OVERLOADED, usage: null, tools: 0 }
    const rows = aNight([refused, refused, refused, refused, DONE], (rules) => ({
      ...rules,
      budget: { ...rules.budget, usd: 2, reserveUsd: 1 },
    }))
    expect(houseOf(rows).run).toMatchObject({
      outcome: { is: 'project_complete' },
      budget: { usd: 0.5, reckonedUsd: 0, unknown: 0, recentUsd: [0.5], reserved: {} },
    })
  })

  test('after retry.outage the run is left unfinished, and the same command goes on with it', () => {
    const rows = aNight([OVERLOADED], ordered(['claude'], { outageMs: 10 * 60_000 }))
    const left = houseOf(rows)
    expect(left.run).toMatchObject({
      is: 'left',
      outcome: {
        is: 'outage',
        reason: 'no agent could be reached for 10m: claude is not reachable (API Error: 529 Overloaded)',
        exit: 4,
      },
    })
    expect(rows.at(-1)?.up).toBe(11 * 60_000)
    const now = { at: EVENING + 99 * HOUR, up: 11 * 60_000 }
    const on = step(left, { type: 'run-continued', pid: 2, after: 'outage', version: '0' }, now)
    expect(on.house.run).toMatchObject({ is: 'going', outcome: null, rests: {} })
    expect(on.effects.map((effect) => effect.type)).toEqual(['survey'])
  })

  test('the time waited survives a crash', () => {
    const rows = aNight([OVERLOADED], ordered(['claude']), 30)
    const before = houseOf(rows)
    const last = rows.at(-1) ?? { at: 0, up: 0 }
    const event = { type: 'run-continued', pid: 2, after: 'crash', version: '0' } as const
    const { house } = step(before, event, { at: last.at, up: last.up })
    expect(house.run.rests).toEqual(before.run.rests)
    expect(house.run.rests['claude']).toMatchObject({ is: 'outage', sinceUp: 60_000 })
  })

  test('with patience 0 it is left at once, but only if nobody else can be reached', () => {
    expect(agents(aNight([OVERLOADED], ordered(['claude'], { outageMs: 0 })))).toEqual(['claude'])
    const both = aNight([OVERLOADED], ordered(['claude', 'codex'], { outageMs: 0 }))
    expect(agents(both)).toEqual(['claude', 'codex'])
    expect(houseOf(both).run.is).toBe('left')
  })

  test('an agent that only rests at a limit is waited for, however long the other one is out of reach', () => {
    const limit: Turn = {
      files: 0,
      fails: { kind: 'usage-limit', message: 'limit', resetsAt: EVENING + 3 * HOUR },
    }
    const rows = aNight([limit, ...Array<Turn>(50).fill(OVERLOADED)], ordered(['codex', 'claude'], {}), 600)
    expect(agents(rows).filter((name) => name === 'codex').length).toBeGreaterThan(1)
    expect(asked(rows, 'wait')[0]?.why).toBe(
      'codex is at its usage limit; claude is not reachable (API Error: 529 Overloaded)',
    )
  })
})

describe('three limits, three sentences', () => {
  test.each<[FailureKind, number | undefined, string]>([
    [
      'usage-limit',
      EVENING + HOUR,
      'claude is at its usage limit (no) and rests until its reset, as announced',
    ],
    ['usage-limit', undefined, 'claude is at its usage limit (no) and rests for 1 h: no reset was announced'],
    ['rate-limit', undefined, 'claude was asked too fast (no) and pauses for 5.0 s'],
  ])('%s', (kind, resetsAt, said) => {
    const fails = { kind, message: 'no', ...(resetsAt === undefined ? {} : { resetsAt }) }
    expect(why(aNight([{ files: 0, fails }, DONE]), 'rest')).toEqual([said])
  })
})

describe('what may come from the work', () => {
  test('a crash counts for the breaker, whose last sentence repeats the error', () => {
    const rows = aNight([{ files: 0, fails: { kind: 'crash', message: 'segmentation fault' } }])
    expect(houseOf(rows).run.outcome?.reason).toBe(
      'the breaker is open: the same error in 5 iterations in a row: segmentation fault',
    )
  })

  test('an outage between two crashes neither adds to the count nor begins it anew', () => {
    const crash: Turn = { files: 0, fails: { kind: 'crash', message: 'segmentation fault' } }
    const rows = aNight([crash, crash, OVERLOADED, crash, crash, OVERLOADED, crash], (rules) => ({
      ...rules,
      loop: { ...rules.loop, iterationsMax: 0 },
    }))
    expect(agents(rows)).toHaveLength(7)
    expect(houseOf(rows).run.outcome?.is).toBe('breaker')
  })

  test('a conversation that is too long is dropped, and the next call begins afresh', () => {
    const long: Turn = { files: 0, fails: { kind: 'context-overflow', message: 'too long' } }
    const rows = aNight([long, DONE])
    expect(asked(rows, 'run-agent').map(({ resume }) => resume)).toEqual([null, null])
  })
})
