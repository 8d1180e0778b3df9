/** A plan without an open checkbox needs no agent, whenever it is found so. */
import { describe, expect, test } from 'vitest'
import type { CheckboxCounts } from '../../tree/change.ts'
import type { Effect, EffectOf } from '../../state/effect.ts'
import type { RunState } from '../../state/state.ts'
import type { Row } from '../../state/row.ts'
import type { Rules } from '../../state/rules.ts'
import { playRun, type AgentTurn } from '../../../../test/kit/core.ts'
import type { Outcome } from '../../state/outcome.ts'
import { step } from '../../run/step.ts'

const TICKED: CheckboxCounts = { open: 0, done: 3 }
const OPEN: CheckboxCounts = { open: 2, done: 1 }
const CRASH = { kind: 'unknown', message: 'it broke' } as const
const LIMIT = { kind: 'usage-limit', message: 'limit reached' } as const

function asked<T extends Effect['type']>(rows: Row[], type: T): EffectOf<T>[] {
  return rows.flatMap((row) => row.effects).filter((effect): effect is EffectOf<T> => effect.type === type)
}

/** How often an agent was started, and how the run ended. */
function told(rows: Row[]): [agents: number, outcome: Partial<Outcome> | undefined] {
  return [asked(rows, 'run-agent').length, asked(rows, 'end-run')[0]?.outcome]
}

function ungated(rules: Rules): Rules {
  return { ...rules, gates: [], loop: { ...rules.loop, iterationsMax: 3 } }
}

describe('found at the start', () => {
  test('without a gate the run ends unproven, and no agent is started', () => {
    expect(told(playRun([{ found: { checkboxes: TICKED } }], ungated))).toEqual([
      0,
      {
        is: 'plan_complete',
        reason: 'no gate is configured, so nothing was checked',
        verdict: 'unproven',
        exit: 0,
        cause: { is: 'nothing-to-do' },
      },
    ])
  })

  test('where proof is required that is exit 5', () => {
    const required = (rules: Rules): Rules => ({
      ...ungated(rules),
      proof: { ...rules.proof, required: true },
    })
    expect(told(playRun([{ found: { checkboxes: TICKED } }], required))).toMatchObject([
      0,
      { is: 'plan_complete', exit: 5 },
    ])
  })

  test('with green gates the claim is proven as any other', () => {
    const rows = playRun([{ found: { checkboxes: TICKED, green: true } }])
    expect(told(rows)).toMatchObject([0, { is: 'plan_complete', verdict: 'proven', exit: 0 }])
    expect(asked(rows, 'run-gate')).toHaveLength(1)
  })

  test('with a red gate the plan is wrong: an agent hears what is red', () => {
    const rows = playRun([{ found: { checkboxes: TICKED }, checkboxes: TICKED, green: true }])
    expect(told(rows)).toMatchObject([1, { is: 'plan_complete', verdict: 'proven' }])
    expect(asked(rows, 'run-agent')[0]?.context.corrections[0]).toContain('Ralph rejected your completion.')
  })

  test('an open breaker does not stand before it', () => {
    const [first] = playRun([{ found: { checkboxes: TICKED } }], ungated, 1)
    if (first?.event.type !== 'run-started') throw new Error('no start')
    const counts = { idle: 3, failed: 0, denied: 0, declined: 0 }
    const open = { is: 'open', openedAt: first.at, why: 'no-progress', reason: 'stuck' } as const
    const breaker = { ...open, counts, opens: 1, changedAt: first.at }
    const begun = step(null, { ...first.event, breaker }, first)
    expect(answerSurvey(begun.state, begun.effects, TICKED)[0]).toMatchObject({
      type: 'end-run',
      outcome: { is: 'plan_complete' },
    })
  })

  test.each<[what: string, checkboxes: CheckboxCounts]>([
    ['boxes that are optional, which nobody counts', { open: 0, done: 0 }],
    ['an open box', OPEN],
  ])('a plan with %s is no claim', (_, checkboxes) => {
    expect(told(playRun([{ found: { checkboxes }, checkboxes, files: 1 }], ungated))).toMatchObject([
      3,
      { is: 'iteration_limit' },
    ])
  })
})

describe('found later', () => {
  test.each<[what: string, turn: AgentTurn]>([
    ['a person ticks the last box while a run waits', { fails: CRASH, checkboxes: OPEN, meanwhile: TICKED }],
    ['the agent ticks it and crashes', { fails: CRASH, checkboxes: TICKED }],
    ['the agent ticks it and meets its limit', { fails: LIMIT, checkboxes: TICKED }],
  ])('%s: nobody is paid once more', (_, turn) => {
    const rows = playRun([{ found: { checkboxes: OPEN }, ...turn }], ungated)
    expect(told(rows)).toMatchObject([
      1,
      {
        is: 'plan_complete',
        reason: 'no gate is configured, so nothing was checked',
      },
    ])
  })

  test('nor does a limit stand before it', () => {
    const once = (rules: Rules): Rules => ({ ...ungated(rules), loop: { ...rules.loop, iterationsMax: 1 } })
    const rows = playRun([{ found: { checkboxes: OPEN }, fails: CRASH, checkboxes: TICKED }], once)
    expect(told(rows)).toMatchObject([1, { is: 'plan_complete' }])
  })

  test('what was refused is not claimed again before an agent has worked on it', () => {
    const rows = playRun([{ found: { checkboxes: OPEN }, checkboxes: TICKED, green: false, files: 1 }])
    expect(told(rows)).toMatchObject([3, { is: 'cannot_prove' }])
  })

  test('what a person says is heard first', () => {
    const rows = playRun([{ found: { checkboxes: OPEN }, fails: CRASH, checkboxes: OPEN, meanwhile: TICKED }], ungated)
    const until = rows.findIndex((row) => row.event.type === 'wait-ended')
    const waits = rows.slice(0, until).reduce<RunState | null>((h, row) => step(h, row.event, row).state, null)
    if (waits === null) throw new Error('no house')
    const now = rows[until] ?? { at: 0, up: 0 }
    const steering = [{ request: 1, text: 'and the docs' }]
    const told = Object.fromEntries(Object.values(waits.workers).map((one) => [one.id, { ...one, steering }]))
    const looks = step({ ...waits, workers: told }, rows[until]?.event ?? never(), now)
    expect(answerSurvey(looks.state, looks.effects, TICKED)[0]?.type).toBe('admit-call')
    const quiet = step(waits, rows[until]?.event ?? never(), now)
    expect(answerSurvey(quiet.state, quiet.effects, TICKED)[0]?.type).toBe('end-run')
  })
})

function never(): never {
  throw new Error('nobody waits')
}

function answerSurvey(state: RunState, [requestSnapshot]: Effect[], checkboxes: CheckboxCounts): Effect[] {
  if (requestSnapshot?.type !== 'snapshot') throw new Error(`asked for ${requestSnapshot?.type}`)
  const snapshot = { tree: 't', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
  const now = { at: state.run.startedAt, up: state.run.startedAwakeMs }
  return step(
    state,
    {
      type: 'snapshot-taken',
      worker: '1',
      effect: requestSnapshot.id,
      snapshot,
      change: null,
      checkboxes,
      nextCheckbox: null,
    },
    now,
  ).effects
}
