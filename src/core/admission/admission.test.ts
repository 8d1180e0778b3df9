/** What stands before the next iteration, one row a limit; and what its prompt carries. */
import { emptyAgentReport } from '../agent-output/agent-report.ts'
import { describe, expect, test } from 'vitest'
import type { Event } from '../state/event.ts'
import type { RunState } from '../state/state.ts'
import type { Rules } from '../state/rules.ts'
import { step } from '../run/step.ts'
import {
  answer,
  requestedEffectTypes,
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
import type { Breaker } from './breaker.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const WORKS: AgentTurn = { files: 1, checkboxes: { open: 3, done: 0 } }
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
    changedAt: START_TIME - MINUTE,
    openedAt: START_TIME - MINUTE,
    why: 'no-progress',
    reason: 'nothing moved',
    ...change,
  }
}

/** Looked at and prepared: the worker works, waits or has ended. */
function settled(moment: RunMoment): RunMoment {
  return until(moment, ({ is }) => is === 'working' || is === 'waiting' || is === 'finished')
}

describe('limits', () => {
  test.each<[what: string, rules: (rules: Rules) => Rules, turns: number, outcome: object]>([
    [
      'one iteration',
      withRules({ loop: { iterationsMax: 1 } }),
      1,
      { is: 'iteration_limit', reason: 'the run used its one iteration' },
    ],
    [
      'two iterations',
      withRules({ loop: { iterationsMax: 2 } }),
      2,
      { is: 'iteration_limit', reason: 'the run used its 2 iterations' },
    ],
    [
      '--once',
      withRules({ loop: { iterationsMax: 1, once: true } }),
      1,
      { is: 'iteration_limit', reason: 'one iteration as requested (--once)' },
    ],
    [
      'the tokens',
      withRules({ budget: { tokens: 2_000 } }),
      2,
      { is: 'token_limit', reason: '2000 of 2000 tokens are spent' },
    ],
    [
      'the minutes',
      withRules({ budget: { minutes: 2 } }),
      2,
      { is: 'time_limit', reason: 'the run used its 2 minutes' },
    ],
    [
      'the money',
      withRules({ budget: { usd: 1.2 } }),
      2,
      { is: 'cost_limit', reason: '$0.20 of $1.20 is left and the next iteration may cost $0.50' },
    ],
  ])('%s', (_, rules, turns, outcome) => {
    let moment = working({ rules })
    for (let n = 0; n < turns; n++) {
      expect(workerAt(moment).phase.is).toBe('working')
      moment = afterTurn(moment, WORKS)
    }
    expect(moment.state.run.outcome).toMatchObject(outcome)
  })

  test('no limit of iterations is none', () => {
    let moment = working({ rules: withRules({ loop: { iterationsMax: 0 } }) })
    for (let n = 0; n < 30; n++) moment = afterTurn(moment, WORKS)
    expect(workerAt(moment)).toMatchObject({ counted: 30, phase: { is: 'working' } })
  })

  test('the wall limit of a call is what the run has left', () => {
    const wall = (rules: Partial<Rules['budget']>, wallMs: number): unknown => {
      const limits = { idleMs: 0, wallMs, completionGraceMs: 0, stopGraceMs: 0, handshakeMs: 0 }
      const call = openEffectOf(afterTurn(working({ rules: withRules({ budget: rules, agent: { limits } }) }), WORKS))
      return call.type === 'run-agent' && call.limits.wallMs
    }
    expect([wall({}, 0), wall({}, 7), wall({ minutes: 5 }, 0), wall({ minutes: 5 }, 7)]).toEqual([0, 7, 4 * MINUTE, 7])
  })
})

describe('an open breaker', () => {
  test('ends the run, and says what it opened at', () => {
    const allow = { say: 'Allow it.', args: ['--allow'] }
    const moment = settled(startedRun({ started: { breaker: open({ said: 'E1', allow }) } }))
    expect(moment.state.run.outcome).toMatchObject({
      is: 'breaker',
      reason: 'the breaker is open: nothing moved',
      cause: { is: 'stuck', why: 'no-progress', said: 'E1', allow },
    })
    const plain = settled(startedRun({ started: { breaker: open() } }))
    expect(plain.state.run.outcome?.cause).toEqual({ is: 'stuck', why: 'no-progress', said: '' })
  })

  test('is waited for where the rules say so, and tried half open', () => {
    const rules = withRules({ breaker: { wait: true } })
    const moment = settled(startedRun({ rules, started: { breaker: open() } }))
    expect(openEffectOf(moment)).toMatchObject({
      type: 'wait',
      until: START_TIME - MINUTE + 30 * MINUTE,
      forMs: null,
      why: 'the breaker is open: nothing moved',
    })
    const later = answer(moment)
    expect([decisionNames(later), workerAt(later).breaker.is]).toEqual([['breaker/half-open'], 'half-open'])
    expect(until(later, ({ is }) => is === 'working').state.run.is).toBe('going')
  })
})

describe('what a run is told meanwhile', () => {
  test.each<[what: string, event: Event, phase: string, run: string, decides: string[]]>([
    ['pauses after the iteration', PAUSE, 'paused', 'paused', ['iteration/progress', 'loop/pause']],
    ['ends after a last look', STOP, 'finished', 'ended', ['iteration/stopped', 'exit/end']],
  ])('%s', (_, event, phase, run, decides) => {
    const moment = afterTurn(send(working(), event), WORKS)
    expect([workerAt(moment).phase.is, moment.state.run.is, decisionNames(moment)]).toEqual([phase, run, decides])
  })

  test.each([
    [STOP, { is: 'stopped', reason: 'stopped by ann' }],
    [LIMIT, { is: 'api_limit_exit', reason: 'stopped by ann' }],
  ])('a stop is called what it was: %#', (event, outcome) => {
    expect(afterTurn(send(working(), event), WORKS).state.run.outcome).toMatchObject(outcome)
  })

  test('who has paused looks at the tree again before it goes on', () => {
    const paused = afterTurn(send(working(), PAUSE), WORKS)
    expect(workerAt(paused).seen?.fresh).toBe(false)
    const resumed = send(paused, { type: 'request-received', request: { id: 9, from: 'ann', do: 'resume' } })
    expect(resumed.effects).toMatchObject([
      { type: 'snapshot', for: 'before', iteration: 2, since: 'tree1', sinceHead: 'head1' },
    ])
  })
})

describe('who takes the call', () => {
  const limited = (until_: number): { limited: Record<string, number> } => ({ limited: { claude: until_ } })
  const two = withRules({ agent: { order: ['claude', 'codex'] } })

  test('the first in the order that is free', () => {
    const agent = (moment: RunMoment): unknown => {
      const call = openEffectOf(until(moment, ({ is }) => is === 'working' || is === 'waiting'))
      return call.type === 'run-agent' ? call.agent : call.type
    }
    expect(agent(startedRun({ rules: two }))).toBe('claude')
    expect(agent(startedRun({ rules: two, started: limited(START_TIME + HOUR) }))).toBe('codex')
    expect(agent(startedRun({ rules: two, started: limited(START_TIME) }))).toBe('claude')
    expect(agent(startedRun({ started: limited(START_TIME + HOUR) }))).toBe('wait')
  })

  test('all at rest: until the first of them is free', () => {
    const moment = settled(startedRun({ started: limited(START_TIME + HOUR) }))
    expect(openEffectOf(moment)).toMatchObject({
      until: START_TIME + HOUR,
      forMs: null,
      why: 'claude hit its usage limit',
    })
  })

  test('nobody in reach for too long: the run is left for later', () => {
    const away: AgentTurn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    let moment: RunMoment = working({ rules: withRules({ retry: { outageMs: 8_000 } }) })
    moment = afterTurn(moment, away)
    expect(openEffectOf(moment)).toMatchObject({ forMs: 5_000 })
    moment = until(moment, ({ is }) => is === 'working')
    moment = afterTurn(moment, away)
    expect(decisionNames(moment)).toEqual(['iteration/unreachable', 'retry/outage', 'retry/suspend'])
    expect([moment.state.run.is, workerAt(moment).phase.is, moment.state.run.outcome]).toMatchObject([
      'left',
      'paused',
      {
        is: 'outage',
        reason: 'no agent could be reached for 8s: claude cannot be reached (no route)',
        verdict: 'unproven',
      },
    ])
  })

  test('the last wait before a run is left is no longer than its patience', () => {
    const away: AgentTurn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    const moment = afterTurn(working({ rules: withRules({ retry: { outageMs: 3_000 } }) }), away)
    expect(openEffectOf(moment)).toMatchObject({ type: 'wait', forMs: 3_000 })
  })

  test('the others finish first when a run is left', () => {
    const away: AgentTurn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    const rules = withRules({ retry: { outageMs: 0 } })
    let moment = until(startedRun({ workers: 2, rules }), ({ is }) => is === 'working', {}, '1')
    moment = until(moment, ({ is }) => is === 'working', {}, '2')
    moment = afterTurn(moment, away, '1')
    expect([moment.state.run.is, workerAt(moment, '1').phase.is, requestedEffectTypes(moment)]).toEqual([
      'leaving',
      'paused',
      ['snapshot'],
    ])
    moment = afterTurn(moment, WORKS, '2')
    expect([moment.state.run.is, workerAt(moment, '2').phase.is]).toEqual(['left', 'paused'])
  })
})

describe('admission', () => {
  test('a spent quota is waited for until the hour, and nothing stays set aside', () => {
    const { rows } = working({ rules: withRules({ budget: { usd: 5 }, quota: { callsPerHour: 7 } }) })
    const at = rows.findIndex(({ effects }) => effects.some(({ type }) => type === 'admit-call'))
    const state = rows
      .slice(0, at + 1)
      .reduce<RunState | null>((before, row) => step(before, row.event, row).state, null)
    const asked = rows[at]?.effects[0]
    expect(asked).toMatchObject({ iteration: 1, quota: { callsPerHour: 7, tokensPerHour: 0 }, reserveUsd: 1 })
    expect(state?.run.budget.reserved).not.toEqual({})
    const held = step(
      state,
      {
        type: 'call-deferred',
        worker: '1',
        effect: asked?.id ?? '',
        until: START_TIME + HOUR,
        why: '7 of 7 calls',
      },
      { at: START_TIME, up: 0 },
    )
    expect(held.state.run.budget.reserved).toEqual({})
    expect(held.effects).toMatchObject([{ type: 'wait', until: START_TIME + HOUR, forMs: null, why: '7 of 7 calls' }])
    expect(held.decisions).toEqual([{ by: 'quota', what: 'wait', why: '7 of 7 calls', worker: '1' }])
    expect(held.state.workers['1']).toMatchObject({ iteration: 0, counted: 0, phase: { is: 'waiting' } })
  })
})

describe('the prompt', () => {
  test('of the first iteration has nothing to tell', () => {
    expect(openEffectOf(working())).toMatchObject({
      type: 'run-agent',
      iteration: 1,
      agent: 'claude',
      role: 'work',
      context: {
        iteration: 1,
        openCheckboxes: 3,
        breaker: null,
        previous: null,
        corrections: [],
        steering: [],
      },
      prompt: '.ralph/PROMPT.md',
      how: { model: null, effort: null, tools: null, permission: 'list', maxTurns: null, output: 'json' },
      resume: null,
      resumeUsage: null,
      previousLength: null,
      remainingUsd: null,
      remainingTokens: null,
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
    expect(openEffectOf(working({ rules: withRules({ agent: { ...how, tools: ['Edit'] } }) }))).toMatchObject({ how })
    expect(openEffectOf(working())).not.toHaveProperty('how.format')
  })

  test('carries what people said, once', () => {
    const steer = (text: string, id: number): Event => ({
      type: 'request-received',
      request: { id, from: 'ann', do: 'steer', text },
    })
    const moment = afterTurn(send(send(working(), steer('one', 1)), steer('two', 2)), WORKS)
    expect(openEffectOf(moment)).toMatchObject({ context: { steering: ['one', 'two'] } })
    expect(moment.decisions.filter(({ what }) => what === 'apply').map(({ why }) => why)).toEqual([
      'sent to the agent in iteration 2: one',
      'sent to the agent in iteration 2: two',
    ])
    expect(openEffectOf(afterTurn(moment, WORKS))).toMatchObject({ context: { steering: [] } })
  })

  test('carries what people said until an agent has worked with it', () => {
    const steer = (text: string, id: number): Event => ({
      type: 'request-received',
      request: { id, from: 'ann', do: 'steer', text },
    })
    const limited: AgentTurn = { files: 0, fails: { kind: 'usage-limit', message: 'no' } }
    const crashed: AgentTurn = { files: 0, fails: { kind: 'crash', message: 'gone' } }
    const carried = (moment: RunMoment): unknown => {
      const call = openEffectOf(moment)
      return call.type === 'run-agent' ? [call.context.steering, call.steered] : null
    }
    const again = (moment: RunMoment, turn: AgentTurn) => until(afterTurn(moment, turn), ({ is }) => is === 'working')
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
    const told = { ...emptyAgentReport(), done: ['t-1'] }
    const corrections = (moment: RunMoment): unknown => {
      const call = openEffectOf(moment)
      return call.type === 'run-agent' ? call.context.corrections : null
    }
    const after = afterTurn(working(), { ...WORKS, reply: { told } })
    expect([corrections(after), corrections(afterTurn(after, WORKS))]).toEqual([
      [expect.stringMatching(/^You reported the result of a task, but this loop has no tasks/)],
      [],
    ])
  })

  test('keeps its corrections until an agent has worked with them', () => {
    const asks: AgentTurn = { ...WORKS, signals: { questions: 1 } }
    const limited: AgentTurn = { files: 0, fails: { kind: 'usage-limit', message: 'no' } }
    const told = afterTurn(working(), asks)
    const again = until(afterTurn(told, limited), ({ is }) => is === 'working')
    const corrections = (moment: RunMoment): unknown => {
      const call = openEffectOf(moment)
      return call.type === 'run-agent' ? call.context.corrections.length : null
    }
    expect([corrections(told), corrections(again), corrections(afterTurn(again, WORKS))]).toEqual([1, 1, 0])
  })
})

describe('a plan whose boxes are all ticked', () => {
  const TICKED: AgentTurn = { files: 0, checkboxes: { open: 0, done: 3 } }

  test('is looked at once more and proven before anybody is paid', () => {
    const moment = until(startedRun(), ({ is }) => is === 'proving' || is === 'working' || is === 'finished', TICKED)
    expect(moment.rows.flatMap(({ effects }) => effects).some(({ type }) => type === 'run-agent')).toBe(false)
  })

  test('an empty plan claims nothing', () => {
    const moment = until(startedRun(), ({ is }) => is === 'working' || is === 'finished', {
      checkboxes: { open: 0, done: 0 },
    })
    expect(workerAt(moment).phase.is).toBe('working')
  })

  test('is not taken at its word while a person has something to say', () => {
    const steer: Event = {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'steer', text: 'more' },
    }
    const moment = until(send(startedRun(), steer), ({ is }) => is === 'working' || is === 'finished', TICKED)
    expect(workerAt(moment).phase.is).toBe('working')
  })
})
