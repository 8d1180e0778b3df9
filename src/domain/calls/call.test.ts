/** One agent process of any role: who takes it, what is set aside for it, and when it is ended in the middle of its work. */
import { describe, expect, test } from 'vitest'
import type { Event } from '../state/event.ts'
import type { Rules } from '../state/rules.ts'
import { beginStep } from '../state/context.ts'
import {
  answer,
  begun,
  decided,
  EVENING,
  openOf,
  played,
  ruled,
  send,
  until,
  workerAt,
  working,
  type Moment,
  type Turn,
} from '../../../test/kit/core.ts'
import type { Usage } from './agent.ts'
import { callNumber, limitsOf, refusedAtTheDoor, takeWay, wayTo } from './call.ts'

const WORKS: Turn = { files: 1, boxes: { open: 3, done: 0 } }

function spent(moment: Moment, usage: Usage, tenth: number, worker = '1'): Event {
  return { type: 'spend-crossed', worker, effect: openOf(moment, worker).id, usage, tenth }
}

describe('what is spent while it works', () => {
  const five = (): Moment => working({ rules: ruled({ budget: { usd: 5 } }) })

  test('is set aside at once, and one more step of it', () => {
    const before = five()
    expect(before.house.run.budget.reserved).toEqual({ '1': 1 })
    const after = send(before, spent(before, { usd: 2 }, 4))
    expect(after.house.run.budget.reserved['1']).toBe(2.5)
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
    const call = openOf(before).id
    expect(after.effects).toEqual(
      ended
        ? [
            {
              id: `e${before.house.run.next}`,
              type: 'abort',
              worker: '1',
              target: call,
              why: 'budget',
              now: false,
            },
          ]
        : [],
    )
    expect(decided(after)).toEqual(ended ? ['budget/abort'] : [])
    expect(workerAt(after).phase).toEqual(ended ? { ...phase, aborting: 'budget' } : phase)
  })

  test('by all workers together, when they have no more', () => {
    let moment = begun({ workers: 2, rules: ruled({ budget: { usd: 5 } }) })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    const first = send(moment, spent(moment, { usd: 2.4 }, 6, '2'))
    expect(decided(first)).toEqual([])
    const both = send(first, spent(first, { usd: 3.2 }, 8, '1'))
    expect([decided(both), workerAt(both, '1').phase, workerAt(both, '2').phase]).toMatchObject([
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
    expect(again.house.run.budget.reserved['1']).toBe(5.5)
  })

  test('by one that is no longer at work changes nothing', () => {
    const before = five()
    const late = spent(before, { usd: 5 }, 10)
    const after = answer(before, WORKS)
    expect(send(after, late).house).toEqual(after.house)
  })

  test('of a second opinion counts the same', () => {
    const rules = (usual: Rules): Rules =>
      ruled({ budget: { usd: 5 } })({ ...usual, proof: { ...usual.proof, opinion: 'codex' } })
    const reading = until(working({ rules }), ({ is }) => is === 'reviewing', {
      files: 1,
      done: true,
      green: true,
      boxes: { open: 0, done: 3 },
    })
    const after = send(reading, spent(reading, { usd: 5 }, 10))
    expect([decided(after), workerAt(after).phase]).toMatchObject([
      ['budget/abort'],
      { is: 'reviewing', aborting: 'budget' },
    ])
  })
})

describe('who takes the call', () => {
  const course = (moment: Moment) => beginStep(moment.house, moment.now)

  test('nobody, where waiting cures none of them', () => {
    const { house } = working({ rules: ruled({ agent: { order: ['claude', 'codex'] } }) })
    const gone = { ...house, run: { ...house.run, unusable: { claude: 'No key.', codex: 'Not installed.' } } }
    const at = beginStep(gone, { at: EVENING, up: 0 })
    const way = wayTo(at, ['claude', 'codex'])
    expect(way).toEqual({ is: 'nobody', why: 'No key. Not installed.' })
    takeWay(at, '1', 'work', way)
    expect(at.house.workers['1']?.phase).toMatchObject({
      is: 'finished',
      outcome: { is: 'agent_unusable', reason: 'No key. Not installed.', exit: 6 },
    })
  })

  test('the first that is left', () => {
    const { house } = working()
    const gone = { ...house, run: { ...house.run, unusable: { claude: 'No key.' } } }
    expect(wayTo(beginStep(gone, { at: EVENING, up: 0 }), ['claude', 'codex'])).toEqual({
      is: 'free',
      agent: 'codex',
    })
  })

  test('work begins an iteration, every other call belongs to the one that is there', () => {
    const at = course(played(working(), WORKS))
    expect([callNumber(at, '1', 'work'), callNumber(at, '1', 'opinion')]).toEqual([3, 2])
  })

  test('admission says for whom it is, unless it is the work', () => {
    const at = course(working())
    takeWay(at, '1', 'opinion', { is: 'free', agent: 'codex' })
    expect(at.effects).toMatchObject([{ type: 'admit-iteration', role: 'opinion', iteration: 1 }])
    const work = course(working())
    takeWay(work, '1', 'work', { is: 'free', agent: 'codex' })
    expect(work.effects[0]).not.toHaveProperty('role')
    expect(work.house.workers['1']?.phase).toMatchObject({ is: 'admitting', agent: 'codex', role: 'work' })
    expect(work.house.run.open).toHaveProperty(`e${working().house.run.next}`)
  })

  test('what the run has left is counted from when it began', () => {
    const moment = working({ rules: ruled({ budget: { minutes: 5 } }) })
    const late = { ...moment.house, run: { ...moment.house.run, startedUp: 60_000 } }
    const at = beginStep(late, { at: EVENING, up: 180_000 })
    expect(limitsOf(at, '1').limits.wallMs).toBe(180_000)
  })
})

describe('a call that was refused at the door costs nothing', () => {
  const limited = { kind: 'usage-limit', message: 'limit' } as const

  test.each<[what: string, turn: Turn, refused: boolean]>([
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
    const moment = working({ rules: ruled({ budget: { usd: 5 } }) })
    const ended = answer(moment, turn).rows[moment.rows.length]?.event
    if (ended?.type !== 'agent-ended') throw new Error('no agent ended')
    expect(refusedAtTheDoor(ended.reply)).toBe(refused)
    const { reserved, unknown } = answer(moment, turn).house.run.budget
    expect(reserved).toEqual({})
    if (refused) expect(unknown).toBe(0)
  })
})
