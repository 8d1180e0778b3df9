import { describe, expect, test } from 'vitest'
import type { Breaker } from '../admission/breaker.ts'
import type { Row } from '../state/row.ts'
import { playRun, type AgentTurn } from '../../../test/kit/core.ts'
import { foldView, type RunView } from './run-view.ts'

function viewOf(rows: Row[]): RunView {
  let view: RunView | null = null
  for (const row of rows) view = foldView(view, row)
  if (view === null) throw new Error('no rows')
  return view
}

const WORKS: AgentTurn = { files: 1 }
const CLAIMS: AgentTurn = { done: true, checkboxes: { open: 0, done: 2 }, nextCheckbox: null }

describe('the breaker', () => {
  const open: Breaker = {
    is: 'open',
    counts: { idle: 3, failed: 0, denied: 0, declined: 0 },
    opens: 1,
    changedAt: 0,
    openedAt: 0,
    why: 'no-progress',
    reason: 'nothing moved in 3 iterations in a row',
  }

  test('of an earlier run is there before this one has decided anything', () => {
    const [first, second] = playRun([WORKS])
    if (first?.event.type !== 'run-started' || second === undefined) throw new Error('no beginning')
    const begun: Row = { ...first, event: { ...first.event, breaker: { ...open, openedAt: first.at } } }
    expect(viewOf([begun]).breaker).toBe('open')
    expect(viewOf([begun, second]).workers['1']?.breaker).toBe('open')
  })
})

describe('why a run does what it does', () => {
  test.each([
    ['an order that was refused', { by: 'steer', what: 'refuse', why: 'there is no setting budget.us' }],
    ['one that came too late', { by: 'loop', what: 'ignore', why: 'the run is paused already' }],
  ] as const)('is never %s', (_, decision) => {
    const rows = playRun([WORKS]).slice(0, 8)
    const last = rows.at(-1)
    if (last === undefined) throw new Error('no rows')
    const order: Row = {
      ...last,
      seq: last.seq + 1,
      event: { type: 'request-received', request: { id: 1, from: 'somebody', do: 'pause' } },
      effects: [],
      decisions: [decision],
    }
    const [before, after] = [viewOf(rows), viewOf([...rows, order])]
    expect([before.why === null, after.why]).toEqual([false, before.why])
    expect(after.decisions.at(-1)?.why).toBe(decision.why)
  })

  test('is a sentence, without the name of the outcome', () => {
    const view = viewOf(playRun([{ ...CLAIMS, green: true }]))
    expect(view.why).toBe(view.outcome?.reason)
  })
})

test('an iteration keeps its own reason, and why its claim was rejected, also when the run ends after it', () => {
  const view = viewOf(playRun([{ ...CLAIMS, green: false }]))
  expect(view.iterations.map(({ why, rejection }) => [why, rejection])).toEqual([
    ['the agent says it is done', 'test failed (exit 1)'],
    ['the agent says it is done', 'test failed (exit 1)'],
    ['the agent says it is done', 'test failed (exit 1)'],
  ])
  expect(view.iterations.at(-1)?.gates.at(-1)?.failing).toEqual(['not ok 1'])
})

test('who was really asked, and how often', () => {
  expect(viewOf(playRun([WORKS, { ...CLAIMS, green: true }])).agents).toEqual([{ agent: 'claude', iterations: 2 }])
})
