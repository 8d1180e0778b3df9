/** What follows for a worker when its breaker turns. */
import { expect, test } from 'vitest'
import { createStepContext } from '../state/context.ts'
import { withRules, working, workerAt } from '../../../test/kit/core.ts'
import type { Breaker, BreakerInput } from './breaker.ts'
import { updateBreaker } from './update-breaker.ts'

const CONVERSATION = { agent: 'claude', id: 'c1', usedAt: 0, usage: null }
const NOTHING: BreakerInput = {
  progress: false,
  question: false,
  error: false,
  denied: false,
  declined: false,
}

/** After one more move of a worker whose breaker is so. */
function after(breaker: Partial<Breaker>, moved: Partial<BreakerInput>) {
  const moment = working({ rules: withRules({ breaker: { noProgress: 3, halfOpenAt: 2 } }) })
  const worker = workerAt(moment)
  const ctx = createStepContext(
    {
      ...moment.state,
      workers: {
        '1': {
          ...worker,
          conversation: CONVERSATION,
          breaker: { ...worker.breaker, ...breaker } as Breaker,
        },
      },
    },
    moment.now,
  )
  updateBreaker(ctx, '1', { ...NOTHING, ...moved })
  const { breaker: now, conversation } = ctx.state.workers['1'] ?? worker
  return { is: now.is, conversation, decisions: ctx.decisions }
}

const idle = (n: number) => ({ counts: { idle: n, failed: 0, denied: 0, declined: 0 } })

test('one that stays as it is says nothing', () => {
  expect(after(idle(0), { progress: true })).toEqual({
    is: 'closed',
    conversation: CONVERSATION,
    decisions: [],
  })
})

test('one that opens says why, and what led there is not gone on with', () => {
  expect(after(idle(2), {})).toEqual({
    is: 'open',
    conversation: null,
    decisions: [{ by: 'breaker', what: 'open', why: 'no changes in 3 iterations in a row', worker: '1' }],
  })
})

test('one that is half open warns, and goes on with what there was', () => {
  expect(after(idle(1), {})).toMatchObject({
    is: 'half-open',
    conversation: CONVERSATION,
    decisions: [{ by: 'breaker', what: 'half-open', worker: '1' }],
  })
})

test('one that closes again says so', () => {
  expect(after({ is: 'half-open', reason: 'r', ...idle(2) }, { progress: true })).toEqual({
    is: 'closed',
    conversation: CONVERSATION,
    decisions: [{ by: 'breaker', what: 'closed', why: 'the agent made progress again', worker: '1' }],
  })
})
