/** What is promised of every call, whatever its role: written from the promises, not from the code that keeps them. */
import { describe, expect, test } from 'vitest'
import type { Usage } from '../calls/agent-io.ts'
import { spentTenths, countBudgetTokens } from '../admission/budget.ts'
import { foldView, type RunView } from '../presentation/run-view.ts'
import {
  answer,
  startedRun,
  openEffectOf,
  send,
  until,
  workerAt,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import type { Rules } from '../state/rules.ts'

const HOUR = 3_600_000
const DONE: AgentTurn = { files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }
const AGREES: AgentTurn = { ...DONE, reply: { lastMessage: '<verify-pass/>' } }

type AgentCall = EffectOf<'run-agent'>

function isReview(effect: Effect | null): effect is AgentCall {
  return effect?.type === 'run-agent' && effect.role === 'review'
}

function isWork(effect: Effect | null): effect is AgentCall {
  return effect?.type === 'run-agent' && effect.role === 'work'
}

function asked(moment: RunMoment): Effect[] {
  return moment.rows.flatMap((row) => row.effects)
}

function refused(moment: RunMoment): string[] {
  return moment.rows
    .flatMap((row) => row.decisions)
    .filter(({ by, what }) => by === 'proof' && what === 'refuse')
    .map(({ why }) => why)
}

function withReview(change: Partial<Rules> = {}): (rules: Rules) => Rules {
  return (rules) => ({
    ...rules,
    agent: { ...rules.agent, order: ['claude', 'gemini'] },
    proof: { ...rules.proof, reviewer: 'codex' },
    ...change,
  })
}

/** The work is done and proven, and the second agent has just been asked. */
function reviewAsked(rules = withReview()): RunMoment {
  return until(working({ rules }), (_, effect) => isReview(effect), DONE)
}

/** Whatever it changed has been looked at. */
function looked(moment: RunMoment): RunMoment {
  return until(moment, (_, effect) => effect?.type !== 'snapshot', DONE)
}

function working(given: Parameters<typeof startedRun>[0]): RunMoment {
  return until(startedRun(given), (_, effect) => isWork(effect))
}

function request(given: { do: 'resume' } | { do: 'steer'; text: string }): Event {
  return { type: 'request-received', request: { id: 1, from: 'ann', ...given } }
}

describe('a second opinion is a call like any other', () => {
  const RESETS = startedRun().now.at + HOUR
  const limited: AgentTurn = {
    usage: null,
    tools: 0,
    fails: { kind: 'usage-limit', message: 'you are out of messages', resetsAt: RESETS },
  }

  test('at its usage limit it refuses nothing, and is asked again or elsewhere', () => {
    let moment = looked(answer(reviewAsked(), limited))
    expect(refused(moment)).toEqual([])
    moment = until(moment, (phase, effect) => phase.is === 'finished' || isReview(effect), DONE)
    moment = until(moment, (phase) => phase.is === 'finished', AGREES)
    const agents = asked(moment)
      .filter(isReview)
      .map(({ agent }) => agent)
    expect([agents.length, moment.state.run.outcome?.verdict, refused(moment)]).toEqual([2, 'proven', []])
  })

  test.each<[string, AgentTurn]>([
    ['rate limit', { usage: null, tools: 0, fails: { kind: 'rate-limit', message: 'slow down' } }],
    ['outage', { usage: null, tools: 0, fails: { kind: 'server', message: 'overloaded' } }],
  ])('in times of a %s it refuses nothing either', (_, turn) => {
    const moment = looked(answer(reviewAsked(), turn))
    expect([refused(moment), workerAt(moment).rejections, moment.state.run.is]).toEqual([[], 0, 'going'])
  })

  test('it is admitted before it is asked', () => {
    const rows = reviewAsked().rows
    const before = rows.slice(
      0,
      rows.findIndex((row) => row.effects.some(isReview)),
    )
    expect(before.at(-1)?.effects.map(({ type }) => type)).toEqual(['admit-call'])
  })

  test('without money for it, it is not begun', () => {
    const poor = (rules: Rules): Rules => ({
      ...withReview()(rules),
      budget: { usd: 0.6, tokens: null, minutes: null, reserveUsd: 0.5 },
    })
    const moment = until(working({ rules: poor }), (phase, effect) => phase.is === 'finished' || isReview(effect), {
      ...DONE,
      usage: { input: 900, output: 100, usd: 0.5 },
    })
    expect([asked(moment).some(isReview), moment.state.run.outcome?.is]).toEqual([false, 'cost_limit'])
  })

  test('while it runs its share of the budget is set aside', () => {
    const rich = (rules: Rules): Rules => ({
      ...withReview()(rules),
      budget: { usd: 10, tokens: null, minutes: null, reserveUsd: 1 },
    })
    expect(Object.values(reviewAsked(rich).state.run.budget.reserved)).not.toEqual([])
  })

  test('it is ended in flight when its allowance is gone', () => {
    const moment = reviewAsked()
    const { id } = openEffectOf(moment)
    const spent: Usage = { input: 1, output: 1, usd: 9 }
    const crossed = send(moment, {
      type: 'spend-threshold-crossed',
      worker: '1',
      effect: id,
      usage: spent,
      tenth: 10,
    })
    expect(crossed.effects).toMatchObject([{ type: 'abort', target: id, why: 'budget' }])
  })

  test('it is no iteration on any screen', () => {
    const shown = ({ rows }: RunMoment): RunView => rows.reduce<RunView | null>(foldView, null) ?? raise()
    const before = reviewAsked()
    const began: Event = {
      type: 'agent-started',
      worker: '1',
      effect: openEffectOf(before).id,
      pid: 9,
      startTime: '1',
      promptHash: 'p',
      log: '/logs/opinion.log',
    }
    const after = answer(send(before, began), { ...AGREES, summary: 'looked at it', tools: 77 })
    const last = (moment: RunMoment): unknown => {
      const { agent, tools, summary, log } = shown(moment).iterations.at(-1) ?? raise()
      return { agent, tools, summary, log }
    }
    expect(shown(after).iterations.length).toBe(shown(before).iterations.length)
    expect(last(after)).toEqual(last(before))
    expect(shown(after).workers['1']?.agent).toBe('claude')
  })

  test('the same agent is not asked for work while it rests', () => {
    const rules = withReview()
    const both = (usual: Rules): Rules => ({ ...rules(usual), agent: { ...usual.agent, order: ['codex'] } })
    const moment = answer(reviewAsked(both), limited)
    expect(moment.state.run.cooldowns['codex']?.until).toBe(RESETS)
  })
})

function raise(): never {
  throw new Error('it never came so far')
}

describe('what a person says', () => {
  const text = 'use the other library'
  const applied = ({ decisions }: RunMoment): string[] =>
    decisions.filter(({ by, what }) => by === 'steer' && what === 'apply').map(({ why }) => why)

  test('during an opinion is applied by the next work prompt, not before', () => {
    let moment = send(reviewAsked(), request({ do: 'steer', text }))
    expect(applied(moment)).toEqual([])
    for (let n = 0; n < 20 && !isWork(openEffectOf(moment)); n++) {
      moment = answer(moment, {
        ...DONE,
        checkboxes: { open: 1, done: 2 },
        reply: { lastMessage: '<verify-fail>no</verify-fail>' },
      })
      expect(applied(moment).length > 0).toBe(moment.effects.some(isWork))
    }
    const work = openEffectOf(moment)
    expect(isWork(work) && work.context.steering).toEqual([text])
  })

  test.each(['1', '2'])('to the run reaches the next prompt of worker %s', (worker) => {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, (_, effect) => isWork(effect), {}, id)
    moment = send(moment, request({ do: 'steer', text }))
    for (const id of ['1', '2']) {
      moment = answer(moment, { files: 1 }, { worker: id })
      moment = until(moment, (_, effect) => isWork(effect), { files: 1 }, id)
    }
    const work = openEffectOf(moment, worker)
    expect(isWork(work) && work.context.steering).toEqual([text])
  })
})

describe('five workers with one budget', () => {
  const FIVE = ['1', '2', '3', '4', '5']
  const CENT = 0.01

  /** All spend cent by cent (or a hundred tokens at a time) and tell it as the handler does, until nobody runs any more. */
  function spendInFlight(budget: Partial<Rules['budget']>): { usd: number; tokens: number } {
    let moment = startedRun({
      workers: 5,
      rules: (usual) => ({ ...usual, budget: { ...usual.budget, ...budget } }),
    })
    for (const id of FIVE) moment = until(moment, (phase, effect) => phase.is === 'finished' || isWork(effect), {}, id)
    const running = new Map<
      string,
      { call: AgentCall; usage: Required<Pick<Usage, 'input' | 'output' | 'usd'>>; tenth: number }
    >()
    for (const id of FIVE) {
      const { phase } = workerAt(moment, id)
      if (phase.is === 'finished') continue
      const call = openEffectOf(moment, id)
      if (isWork(call)) running.set(call.id, { call, usage: { input: 0, output: 0, usd: 0 }, tenth: 0 })
    }
    expect(running.size).toBeGreaterThan(0)
    const all = [...running.values()]
    for (let n = 0; n < 1_000 && running.size > 0; n++) {
      for (const one of running.values()) {
        one.usage = { input: one.usage.input + 100, output: 0, usd: one.usage.usd + CENT }
        const left = { usd: one.call.remainingUsd, tokens: one.call.remainingTokens }
        const reached = spentTenths(one.usage, left)
        if (reached <= one.tenth) continue
        one.tenth = reached
        const { id: effect, worker } = one.call
        moment = send(moment, {
          type: 'spend-threshold-crossed',
          worker,
          effect,
          usage: one.usage,
          tenth: reached,
        })
        for (const abort of moment.effects) if (abort.type === 'abort') running.delete(abort.target)
      }
    }
    return {
      usd: all.reduce((sum, { usage }) => sum + usage.usd, 0),
      tokens: all.reduce((sum, { usage }) => sum + countBudgetTokens(usage), 0),
    }
  }

  test.each([0.01, 0.1, 0.2])('never pass a dollar between them, with %d set aside for each', (reserveUsd) => {
    // What is told a step too late nobody can know.
    expect(spendInFlight({ usd: 1, reserveUsd }).usd).toBeLessThanOrEqual(1 + 5 * CENT + 1e-9)
  })

  test('never pass the tokens between them', () => {
    expect(spendInFlight({ tokens: 10_000 }).tokens).toBeLessThanOrEqual(10_000 + 5 * 100)
  })

  test('who begins later is not promised what the others have spent in flight', () => {
    const rules = (usual: Rules): Rules => ({
      ...usual,
      budget: { ...usual.budget, usd: 1, reserveUsd: 0.1 },
    })
    let moment = until(startedRun({ workers: 2, rules }), (_, effect) => isWork(effect), {}, '1')
    const effect = openEffectOf(moment, '1').id
    const usage: Usage = { input: 1, output: 1, usd: 0.6 }
    moment = send(moment, { type: 'spend-threshold-crossed', worker: '1', effect, usage, tenth: 6 })
    moment = until(moment, (phase, open) => phase.is === 'finished' || isWork(open), {}, '2')
    const later = openEffectOf(moment, '2')
    expect(isWork(later) ? later.remainingUsd : null).toBeLessThanOrEqual(0.4 + 1e-9)
  })
})

describe('what concerns one worker', () => {
  const LOCKED: AgentTurn = {
    look: {
      snapshot: {
        tree: 't',
        head: 'h',
        branch: 'main',
        ref: null,
        unstored: [],
        busy: 'another git process holds index.lock',
      },
    },
  }

  test('a lock on its index pauses that worker, and the other goes on', () => {
    let moment = until(startedRun({ workers: 2 }), (_, effect) => isWork(effect), {}, '2')
    moment = until(moment, (phase) => phase.is === 'paused', LOCKED, '1')
    expect(moment.state.run.is).toBe('going')
    moment = answer(moment, { files: 1 }, { worker: '2' })
    moment = until(moment, (phase, effect) => phase.is === 'paused' || isWork(effect), { files: 1 }, '2')
    expect(workerAt(moment, '2').phase.is).toBe('working')
  })

  test('a resume resumes the worker that paused', () => {
    let moment = until(startedRun({ workers: 2 }), (_, effect) => isWork(effect), {}, '2')
    moment = until(moment, (phase) => phase.is === 'paused', LOCKED, '1')
    moment = send(moment, request({ do: 'resume' }))
    expect(workerAt(moment, '1').phase.is).not.toBe('paused')
  })
})
