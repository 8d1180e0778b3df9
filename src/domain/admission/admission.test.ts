/** What stands before the next iteration, one row a limit; and what its prompt carries. */
import { nothingTold } from '../reply/told.ts'
import { describe, expect, test } from 'vitest'
import type { Event } from '../state/event.ts'
import type { House } from '../state/state.ts'
import type { Rules } from '../state/rules.ts'
import { step } from '../run/step.ts'
import {
  answer,
  askedTypes,
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
import type { Breaker } from './breaker.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const WORKS: Turn = { files: 1, boxes: { open: 3, done: 0 } }
const PAUSE: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }
const STOP: Event = { type: 'request-received', request: { id: 2, from: 'ann', do: 'stop', now: false } }
const LIMIT: Event = {
  type: 'request-received',
  request: { id: 3, from: 'ann', do: 'stop', now: false, because: 'limit' },
}

function open(change: Partial<Extract<Breaker, { is: 'open' }>> = {}): Breaker {
  return {
    is: 'open',
    counts: { idle: 3, failed: 0, denied: 0, declined: 0 },
    opens: 1,
    changedAt: EVENING - MINUTE,
    openedAt: EVENING - MINUTE,
    why: 'no-progress',
    reason: 'nothing moved',
    ...change,
  }
}

/** Looked at and prepared: the worker works, waits or has ended. */
function settled(moment: Moment): Moment {
  return until(moment, ({ is }) => is === 'working' || is === 'waiting' || is === 'finished')
}

describe('limits', () => {
  test.each<[what: string, rules: (rules: Rules) => Rules, turns: number, outcome: object]>([
    [
      'one iteration',
      ruled({ loop: { iterationsMax: 1 } }),
      1,
      { is: 'iteration_limit', reason: '1 iteration was allowed and made' },
    ],
    [
      'two iterations',
      ruled({ loop: { iterationsMax: 2 } }),
      2,
      { is: 'iteration_limit', reason: '2 iterations were allowed and made' },
    ],
    [
      '--once',
      ruled({ loop: { iterationsMax: 1, once: true } }),
      1,
      { is: 'iteration_limit', reason: 'one iteration was asked for (--once) and made' },
    ],
    [
      'the tokens',
      ruled({ budget: { tokens: 2_000 } }),
      2,
      { is: 'token_limit', reason: '2000 of 2000 tokens are spent' },
    ],
    [
      'the minutes',
      ruled({ budget: { minutes: 2 } }),
      2,
      { is: 'time_limit', reason: 'the run has had its 2 minutes' },
    ],
    [
      'the money',
      ruled({ budget: { usd: 1.2 } }),
      2,
      { is: 'cost_limit', reason: '$0.20 of $1.20 is left and the next iteration may cost $0.50' },
    ],
  ])('%s', (_, rules, turns, outcome) => {
    let moment = working({ rules })
    for (let n = 0; n < turns; n++) {
      expect(workerAt(moment).phase.is).toBe('working')
      moment = played(moment, WORKS)
    }
    expect(moment.house.run.outcome).toMatchObject(outcome)
  })

  test('no limit of iterations is none', () => {
    let moment = working({ rules: ruled({ loop: { iterationsMax: 0 } }) })
    for (let n = 0; n < 30; n++) moment = played(moment, WORKS)
    expect(workerAt(moment)).toMatchObject({ counted: 30, phase: { is: 'working' } })
  })

  test('the wall limit of a call is what the run has left', () => {
    const wall = (rules: Partial<Rules['budget']>, wallMs: number): unknown => {
      const limits = { idleMs: 0, wallMs, completionGraceMs: 0, stopGraceMs: 0, handshakeMs: 0 }
      const call = openOf(played(working({ rules: ruled({ budget: rules, agent: { limits } }) }), WORKS))
      return call.type === 'run-agent' && call.limits.wallMs
    }
    expect([wall({}, 0), wall({}, 7), wall({ minutes: 5 }, 0), wall({ minutes: 5 }, 7)]).toEqual([
      0,
      7,
      4 * MINUTE,
      7,
    ])
  })
})

describe('an open breaker', () => {
  test('ends the run, and says what it opened at', () => {
    const allow = { say: 'Allow it.', args: ['--allow'] }
    const moment = settled(begun({ started: { breaker: open({ said: 'E1', allow }) } }))
    expect(moment.house.run.outcome).toMatchObject({
      is: 'breaker',
      reason: 'the breaker is open: nothing moved',
      cause: { is: 'stuck', why: 'no-progress', said: 'E1', allow },
    })
    const plain = settled(begun({ started: { breaker: open() } }))
    expect(plain.house.run.outcome?.cause).toEqual({ is: 'stuck', why: 'no-progress', said: '' })
  })

  test('is waited for where the rules say so, and tried half open', () => {
    const rules = ruled({ breaker: { wait: true } })
    const moment = settled(begun({ rules, started: { breaker: open() } }))
    expect(openOf(moment)).toMatchObject({
      type: 'wait',
      until: EVENING - MINUTE + 30 * MINUTE,
      forMs: null,
      why: 'the breaker is open: nothing moved',
    })
    const later = answer(moment)
    expect([decided(later), workerAt(later).breaker.is]).toEqual([['breaker/half-open'], 'half-open'])
    expect(until(later, ({ is }) => is === 'working').house.run.is).toBe('going')
  })
})

describe('what a run is told meanwhile', () => {
  test.each<[what: string, event: Event, phase: string, run: string, decides: string[]]>([
    ['pauses after the iteration', PAUSE, 'paused', 'paused', ['iteration/progress', 'loop/pause']],
    ['ends after a last look', STOP, 'finished', 'ended', ['iteration/stopped', 'exit/end']],
  ])('%s', (_, event, phase, run, decides) => {
    const moment = played(send(working(), event), WORKS)
    expect([workerAt(moment).phase.is, moment.house.run.is, decided(moment)]).toEqual([phase, run, decides])
  })

  test.each([
    [STOP, { is: 'stopped', reason: 'stopped by ann' }],
    [LIMIT, { is: 'api_limit_exit', reason: 'stopped by ann' }],
  ])('a stop is called what it was: %#', (event, outcome) => {
    expect(played(send(working(), event), WORKS).house.run.outcome).toMatchObject(outcome)
  })

  test('who has paused looks at the tree again before it goes on', () => {
    const paused = played(send(working(), PAUSE), WORKS)
    expect(workerAt(paused).seen?.fresh).toBe(false)
    const resumed = send(paused, { type: 'request-received', request: { id: 9, from: 'ann', do: 'resume' } })
    expect(resumed.effects).toMatchObject([
      { type: 'survey', for: 'before', iteration: 2, since: 'tree1', sinceHead: 'head1' },
    ])
  })
})

describe('who takes the call', () => {
  const limited = (until_: number): { limited: Record<string, number> } => ({ limited: { claude: until_ } })
  const two = ruled({ agent: { order: ['claude', 'codex'] } })

  test('the first in the order that is free', () => {
    const agent = (moment: Moment): unknown => {
      const call = openOf(until(moment, ({ is }) => is === 'working' || is === 'waiting'))
      return call.type === 'run-agent' ? call.agent : call.type
    }
    expect(agent(begun({ rules: two }))).toBe('claude')
    expect(agent(begun({ rules: two, started: limited(EVENING + HOUR) }))).toBe('codex')
    expect(agent(begun({ rules: two, started: limited(EVENING) }))).toBe('claude')
    expect(agent(begun({ started: limited(EVENING + HOUR) }))).toBe('wait')
  })

  test('all at rest: until the first of them is free', () => {
    const moment = settled(begun({ started: limited(EVENING + HOUR) }))
    expect(openOf(moment)).toMatchObject({
      until: EVENING + HOUR,
      forMs: null,
      why: 'claude is at its usage limit',
    })
  })

  test('nobody in reach for too long: the run is left for later', () => {
    const away: Turn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    let moment: Moment = working({ rules: ruled({ retry: { outageMs: 8_000 } }) })
    moment = played(moment, away)
    expect(openOf(moment)).toMatchObject({ forMs: 5_000 })
    moment = until(moment, ({ is }) => is === 'working')
    moment = played(moment, away)
    expect(decided(moment)).toEqual(['iteration/unreachable', 'retry/outage', 'retry/leave'])
    expect([moment.house.run.is, workerAt(moment).phase.is, moment.house.run.outcome]).toMatchObject([
      'left',
      'paused',
      {
        is: 'outage',
        reason: 'no agent could be reached for 8s: claude is not reachable (no route)',
        verdict: 'unproven',
      },
    ])
  })

  test('the last wait before a run is left is no longer than its patience', () => {
    const away: Turn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    const moment = played(working({ rules: ruled({ retry: { outageMs: 3_000 } }) }), away)
    expect(openOf(moment)).toMatchObject({ type: 'wait', forMs: 3_000 })
  })

  test('the others finish first when a run is left', () => {
    const away: Turn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    const rules = ruled({ retry: { outageMs: 0 } })
    let moment = until(begun({ workers: 2, rules }), ({ is }) => is === 'working', {}, '1')
    moment = until(moment, ({ is }) => is === 'working', {}, '2')
    moment = played(moment, away, '1')
    expect([moment.house.run.is, workerAt(moment, '1').phase.is, askedTypes(moment)]).toEqual([
      'leaving',
      'paused',
      ['survey'],
    ])
    moment = played(moment, WORKS, '2')
    expect([moment.house.run.is, workerAt(moment, '2').phase.is]).toEqual(['left', 'paused'])
  })
})

describe('admission', () => {
  test('a spent quota is waited for until the hour, and nothing stays set aside', () => {
    const { rows } = working({ rules: ruled({ budget: { usd: 5 }, quota: { callsPerHour: 7 } }) })
    const at = rows.findIndex(({ effects }) => effects.some(({ type }) => type === 'admit-iteration'))
    const house = rows
      .slice(0, at + 1)
      .reduce<House | null>((before, row) => step(before, row.event, row).house, null)
    const asked = rows[at]?.effects[0]
    expect(asked).toMatchObject({ iteration: 1, quota: { callsPerHour: 7, tokensPerHour: 0 }, reserveUsd: 1 })
    expect(house?.run.budget.reserved).not.toEqual({})
    const held = step(
      house,
      { type: 'held-back', worker: '1', effect: asked?.id ?? '', until: EVENING + HOUR, why: '7 of 7 calls' },
      { at: EVENING, up: 0 },
    )
    expect(held.house.run.budget.reserved).toEqual({})
    expect(held.effects).toMatchObject([
      { type: 'wait', until: EVENING + HOUR, forMs: null, why: '7 of 7 calls' },
    ])
    expect(held.decisions).toEqual([{ by: 'quota', what: 'wait', why: '7 of 7 calls', worker: '1' }])
    expect(held.house.workers['1']).toMatchObject({ iteration: 0, counted: 0, phase: { is: 'waiting' } })
  })
})

describe('the prompt', () => {
  test('of the first iteration has nothing to tell', () => {
    expect(openOf(working())).toMatchObject({
      type: 'run-agent',
      iteration: 1,
      agent: 'claude',
      role: 'work',
      context: { iteration: 1, openBoxes: 3, breaker: null, previous: null, corrections: [], steering: [] },
      prompt: '.ralph/PROMPT.md',
      how: { model: null, effort: null, tools: null, permission: 'list', maxTurns: null, output: 'json' },
      resume: null,
      resumeUsage: null,
      previousLength: null,
      usdLeft: null,
      tokensLeft: null,
    })
  })

  test('asks the agent as the settings have it', () => {
    const how = {
      model: 'opus',
      effort: 'high',
      tools: ['Edit'],
      permission: 'ask',
      maxTurns: 7,
      output: 'text',
      format: 'json',
    } as const
    expect(openOf(working({ rules: ruled({ agent: { ...how, tools: ['Edit'] } }) }))).toMatchObject({ how })
    expect(openOf(working())).not.toHaveProperty('how.format')
  })

  test('carries what people said, once', () => {
    const steer = (text: string, id: number): Event => ({
      type: 'request-received',
      request: { id, from: 'ann', do: 'steer', text },
    })
    const moment = played(send(send(working(), steer('one', 1)), steer('two', 2)), WORKS)
    expect(openOf(moment)).toMatchObject({ context: { steering: ['one', 'two'] } })
    expect(moment.decisions.filter(({ what }) => what === 'apply').map(({ why }) => why)).toEqual([
      'told the agent in iteration 2: one',
      'told the agent in iteration 2: two',
    ])
    expect(openOf(played(moment, WORKS))).toMatchObject({ context: { steering: [] } })
  })

  test('carries what people said until an agent has worked with it', () => {
    const steer = (text: string, id: number): Event => ({
      type: 'request-received',
      request: { id, from: 'ann', do: 'steer', text },
    })
    const limited: Turn = { files: 0, fails: { kind: 'usage-limit', message: 'no' } }
    const crashed: Turn = { files: 0, fails: { kind: 'crash', message: 'gone' } }
    const carried = (moment: Moment): unknown => {
      const call = openOf(moment)
      return call.type === 'run-agent' ? [call.context.steering, call.steered] : null
    }
    const again = (moment: Moment, turn: Turn) => until(played(moment, turn), ({ is }) => is === 'working')
    const told = again(send(working(), steer('one', 1)), WORKS)
    const afterLimit = again(told, limited)
    const afterCrash = again(send(afterLimit, steer('two', 2)), crashed)
    expect([told, afterLimit, afterCrash, again(afterCrash, WORKS)].map(carried)).toEqual([
      [['one'], [1]],
      [['one'], undefined],
      [['one', 'two'], [2]],
      [[], undefined],
    ])
  })

  test('says that nobody heard of a task where there is none', () => {
    const told = { ...nothingTold(), done: ['t-1'] }
    const corrections = (moment: Moment): unknown => {
      const call = openOf(moment)
      return call.type === 'run-agent' ? call.context.corrections : null
    }
    const after = played(working(), { ...WORKS, reply: { told } })
    expect([corrections(after), corrections(played(after, WORKS))]).toEqual([
      [expect.stringMatching(/^You said what became of a task, and this loop has none/)],
      [],
    ])
  })

  test('keeps its corrections until an agent has worked with them', () => {
    const asks: Turn = { ...WORKS, signals: { questions: 1 } }
    const limited: Turn = { files: 0, fails: { kind: 'usage-limit', message: 'no' } }
    const told = played(working(), asks)
    const again = until(played(told, limited), ({ is }) => is === 'working')
    const corrections = (moment: Moment): unknown => {
      const call = openOf(moment)
      return call.type === 'run-agent' ? call.context.corrections.length : null
    }
    expect([corrections(told), corrections(again), corrections(played(again, WORKS))]).toEqual([1, 1, 0])
  })
})

describe('a plan whose boxes are all ticked', () => {
  const TICKED: Turn = { files: 0, boxes: { open: 0, done: 3 } }

  test('is looked at once more and proven before anybody is paid', () => {
    const moment = until(
      begun(),
      ({ is }) => is === 'proving' || is === 'working' || is === 'finished',
      TICKED,
    )
    expect(moment.rows.flatMap(({ effects }) => effects).some(({ type }) => type === 'run-agent')).toBe(false)
  })

  test('an empty plan claims nothing', () => {
    const moment = until(begun(), ({ is }) => is === 'working' || is === 'finished', {
      boxes: { open: 0, done: 0 },
    })
    expect(workerAt(moment).phase.is).toBe('working')
  })

  test('is not taken at its word while a person has something to say', () => {
    const steer: Event = {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'steer', text: 'more' },
    }
    const moment = until(send(begun(), steer), ({ is }) => is === 'working' || is === 'finished', TICKED)
    expect(workerAt(moment).phase.is).toBe('working')
  })
})
