/** One agent process of any role: which agent gets it, what is reserved for it, and when it is stopped in the middle of its work. */
import { describe, expect, test } from 'vitest'
import type { Event } from '../state/event.ts'
import type { Rules } from '../state/rules.ts'
import { createStepContext } from '../state/context.ts'
import {
  answer,
  startedRun,
  decisionNames,
  START_TIME,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import type { Usage } from './agent-io.ts'
import { iterationOfCall, callLimitsOf, wasRejectedBeforeStart, admitCallOrWait, findAvailableAgent } from './call.ts'

const WORKS: AgentTurn = { files: 1, checkboxes: { open: 3, done: 0 } }

function spent(moment: RunMoment, usage: Usage, tenth: number, worker = '1'): Event {
  return { type: 'spend-threshold-crossed', worker, effect: openEffectOf(moment, worker).id, usage, tenth }
}

describe('what is spent while it works', () => {
  const five = (): RunMoment => working({ rules: withRules({ budget: { usd: 5 } }) })

  test('is set aside at once, and one more step of it', () => {
    const before = five()
    expect(before.state.run.budget.reserved).toEqual({ '1': 1 })
    const after = send(before, spent(before, { usd: 2 }, 4))
    expect(after.state.run.budget.reserved['1']).toBe(2.5)
    expect([after.effects, after.decisions, workerAt(after).phase]).toEqual([[], [], workerAt(before).phase])
  })

  test.each([
    [{ usd: 4.9 }, 9, false],
    [{ usd: 5 }, 10, true],
    [{ usd: 9 }, 10, true],
  ])('%j, tenth %i: it is ended: %s', (usage, tenth, ended) => {
    const before = five()
    const after = send(before, spent(before, usage, tenth))
    const { phase } = workerAt(before)
    const call = openEffectOf(before).id
    expect(after.effects).toEqual(
      ended
        ? [
            {
              id: `e${before.state.run.next}`,
              type: 'abort',
              worker: '1',
              target: call,
              why: 'budget',
              now: false,
            },
          ]
        : [],
    )
    expect(decisionNames(after)).toEqual(ended ? ['budget/abort'] : [])
    expect(workerAt(after).phase).toEqual(ended ? { ...phase, aborting: 'budget' } : phase)
  })

  test('by all workers together, when they have no more', () => {
    let moment = startedRun({ workers: 2, rules: withRules({ budget: { usd: 5 } }) })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    const first = send(moment, spent(moment, { usd: 2.4 }, 6, '2'))
    expect(decisionNames(first)).toEqual([])
    const both = send(first, spent(first, { usd: 3.2 }, 8, '1'))
    expect([decisionNames(both), workerAt(both, '1').phase, workerAt(both, '2').phase]).toMatchObject([
      ['budget/abort'],
      { aborting: 'budget' },
      { aborting: null },
    ])
  })

  test('of one that is being ended already, nothing more follows', () => {
    const before = five()
    const ending = send(before, spent(before, { usd: 5 }, 10))
    const again = send(ending, spent(ending, { usd: 5.5 }, 10))
    expect([again.effects, again.decisions]).toEqual([[], []])
    expect(again.state.run.budget.reserved['1']).toBe(5.5)
  })

  test('by one that is no longer at work changes nothing', () => {
    const before = five()
    const late = spent(before, { usd: 5 }, 10)
    const after = answer(before, WORKS)
    expect(send(after, late).state).toEqual(after.state)
  })

  test('of a second opinion counts the same', () => {
    const rules = (usual: Rules): Rules =>
      withRules({ budget: { usd: 5 } })({ ...usual, proof: { ...usual.proof, reviewer: 'codex' } })
    const reading = until(working({ rules }), ({ is }) => is === 'reviewing', {
      files: 1,
      done: true,
      green: true,
      checkboxes: { open: 0, done: 3 },
    })
    const after = send(reading, spent(reading, { usd: 5 }, 10))
    expect([decisionNames(after), workerAt(after).phase]).toMatchObject([
      ['budget/abort'],
      { is: 'reviewing', aborting: 'budget' },
    ])
  })
})

describe('who takes the call', () => {
  const ctx = (moment: RunMoment) => createStepContext(moment.state, moment.now)

  test('nobody, where waiting cures none of them', () => {
    const { state } = working({ rules: withRules({ agent: { order: ['claude', 'codex'] } }) })
    const gone = { ...state, run: { ...state.run, unusable: { claude: 'No key.', codex: 'Not installed.' } } }
    const at = createStepContext(gone, { at: START_TIME, up: 0 })
    const chosen = findAvailableAgent(at, ['claude', 'codex'])
    expect(chosen).toEqual({ is: 'nobody', why: 'No key. Not installed.' })
    admitCallOrWait(at, '1', 'work', chosen)
    expect(at.state.workers['1']?.phase).toMatchObject({
      is: 'finished',
      outcome: { is: 'agent_unusable', reason: 'No key. Not installed.', exit: 6 },
    })
  })

  test('the first that is left', () => {
    const { state } = working()
    const gone = { ...state, run: { ...state.run, unusable: { claude: 'No key.' } } }
    expect(findAvailableAgent(createStepContext(gone, { at: START_TIME, up: 0 }), ['claude', 'codex'])).toEqual({
      is: 'free',
      agent: 'codex',
    })
  })

  test('work begins an iteration, every other call belongs to the one that is there', () => {
    const at = ctx(afterTurn(working(), WORKS))
    expect([iterationOfCall(at, '1', 'work'), iterationOfCall(at, '1', 'review')]).toEqual([3, 2])
  })

  test('admission says for whom it is, unless it is the work', () => {
    const at = ctx(working())
    admitCallOrWait(at, '1', 'review', { is: 'free', agent: 'codex' })
    expect(at.effects).toMatchObject([{ type: 'admit-call', role: 'review', iteration: 1 }])
    const work = ctx(working())
    admitCallOrWait(work, '1', 'work', { is: 'free', agent: 'codex' })
    expect(work.effects[0]).not.toHaveProperty('role')
    expect(work.state.workers['1']?.phase).toMatchObject({ is: 'admitting', agent: 'codex', role: 'work' })
    expect(work.state.run.open).toHaveProperty(`e${working().state.run.next}`)
  })

  test('what the run has left is counted from when it began', () => {
    const moment = working({ rules: withRules({ budget: { minutes: 5 } }) })
    const late = { ...moment.state, run: { ...moment.state.run, startedAwakeMs: 60_000 } }
    const at = createStepContext(late, { at: START_TIME, up: 180_000 })
    expect(callLimitsOf(at, '1').limits.wallMs).toBe(180_000)
  })
})

describe('a call that was refused at the door costs nothing', () => {
  const limited = { kind: 'usage-limit', message: 'limit' } as const

  test.each<[what: string, turn: AgentTurn, refused: boolean]>([
    ['a limit, and no cost told', { fails: limited, usage: null, tools: 0 }, true],
    ['a limit, and nothing counted', { fails: limited, usage: {}, tools: 0 }, true],
    ['a limit, and noughts counted', { fails: limited, usage: { input: 0, usd: 0 }, tools: 0 }, true],
    ['a limit after tokens', { fails: limited, usage: { input: 1 }, tools: 0 }, false],
    ['a limit after money', { fails: limited, usage: { usd: 0.1 }, tools: 0 }, false],
    ['a limit after a tool', { fails: limited, usage: null, tools: 1 }, false],
    ['an outage', { fails: { kind: 'network', message: 'x' }, usage: null, tools: 0 }, true],
    ['a crash', { fails: { kind: 'crash', message: 'x' }, usage: null, tools: 0 }, false],
    ['work', { usage: null, tools: 0 }, false],
  ])('%s: %s', (_, turn, refused) => {
    const moment = working({ rules: withRules({ budget: { usd: 5 } }) })
    const ended = answer(moment, turn).rows[moment.rows.length]?.event
    if (ended?.type !== 'agent-ended') throw new Error('no agent ended')
    expect(wasRejectedBeforeStart(ended.reply)).toBe(refused)
    const { reserved, unknown } = answer(moment, turn).state.run.budget
    expect(reserved).toEqual({})
    if (refused) expect(unknown).toBe(0)
  })
})
