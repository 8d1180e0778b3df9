import { describe, expect, test } from 'vitest'
import { aNight, EVENING, type Turn } from '../test-kit.ts'
import type { EffectOf } from '../run/effect.ts'
import type { Row } from '../run/row.ts'
import type { Rules } from '../run/rules.ts'
import { foldView, type View } from '../tell/view.ts'

const HOUR = 3_600_000
const LIMIT = { kind: 'usage-limit' as const, message: 'You have hit your limit' }
const CRASH = { kind: 'crash' as const, message: 'exit 1' }

/** One iteration that claims completion and holds; then whoever judges it. */
function claimed(opinions: Turn['opinions'], change: (rules: Rules) => Rules = (rules) => rules): Row[] {
  const turn: Turn = { done: true, green: true, boxes: { open: 0, done: 3 } }
  return aNight([{ ...turn, ...(opinions === undefined ? {} : { opinions }) }], (rules) =>
    change({ ...rules, proof: { ...rules.proof, opinion: 'codex' } }),
  )
}

function calls(rows: Row[]): EffectOf<'run-agent'>[] {
  return rows
    .flatMap(({ effects }) => effects)
    .filter((effect): effect is EffectOf<'run-agent'> => effect.type === 'run-agent')
}

const asked = (rows: Row[]): string[] => calls(rows).map(({ agent, role }) => `${agent} ${role}`)

function outcome(rows: Row[]): string {
  const last = rows.at(-1)?.event
  return last?.type === 'run-ended' ? `${last.outcome.is} ${last.outcome.verdict}` : 'going'
}

test('a second agent that agrees ends the run', () => {
  const rows = claimed(['<verify-pass/>'])
  expect(asked(rows)).toEqual(['claude work', 'codex opinion'])
  expect(outcome(rows)).toBe('project_complete proven')
})

describe('a second agent at its usage limit', () => {
  test('is waited for until its reset, and honest work is not refused', () => {
    const resetsAt = EVENING + 3 * HOUR
    const rows = claimed([{ ...LIMIT, resetsAt }, '<verify-pass/>'])
    expect(asked(rows)).toEqual(['claude work', 'codex opinion', 'codex opinion'])
    expect(rows.flatMap(({ effects }) => effects).find(({ type }) => type === 'wait')).toMatchObject({
      until: resetsAt,
    })
    expect(rows.flatMap(({ decisions }) => decisions).filter(({ what }) => what === 'refuse')).toEqual([])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('gives way to the next in the order, never to whoever did the work', () => {
    const rows = claimed([LIMIT, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'gemini'] },
    }))
    expect(asked(rows)).toEqual(['claude work', 'codex opinion', 'gemini opinion'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('rests with everybody who uses the same account', () => {
    const rows = claimed([{ ...LIMIT, resetsAt: EVENING + HOUR }, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: {
        ...rules.agent,
        order: ['claude', 'review'],
        credentials: { codex: 'openai', review: 'openai' },
      },
    }))
    expect(asked(rows)).toEqual(['claude work', 'codex opinion', 'codex opinion'])
  })
})

describe('the limits of the run', () => {
  test('an opinion is admitted, and waits for the next hour like any call', () => {
    const rows = claimed(['<verify-pass/>'])
    const admissions = rows.flatMap(({ effects }) => effects).filter(({ type }) => type === 'admit-iteration')
    expect(admissions).toMatchObject([{ iteration: 1 }, { iteration: 1, role: 'opinion' }])
  })

  test('an opinion that the budget does not reach is not begun', () => {
    // The iteration cost 0.50, so the next call may cost as much, and 0.30 is left.
    const rows = claimed(['<verify-pass/>'], (rules) => ({
      ...rules,
      budget: { ...rules.budget, usd: 0.8, reserveUsd: 0.5 },
    }))
    expect(asked(rows)).toEqual(['claude work'])
    expect(outcome(rows)).toBe('cost_limit unproven')
  })

  test('it gets what is left of the money, and no more', () => {
    const rows = claimed(['<verify-pass/>'], (rules) => ({ ...rules, budget: { ...rules.budget, usd: 2 } }))
    expect(calls(rows)[1]?.usdLeft).toBeCloseTo(1.5)
  })
})

describe('a second agent that fails', () => {
  test.each([CRASH, 'silent', 'timed-out'] as const)('%j: is asked twice more', (how) => {
    const rows = claimed([how, how, '<verify-pass/>'])
    expect(asked(rows)).toEqual(['claude work', 'codex opinion', 'codex opinion', 'codex opinion'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('three times in a row: it has given no verdict', () => {
    const rows = claimed([CRASH, CRASH, CRASH], (rules) => ({
      ...rules,
      proof: { ...rules.proof, refusals: 1 },
    }))
    expect(outcome(rows)).toBe('cannot_prove unproven')
  })

  test('because we were gone: it is asked again, and nobody counts that', () => {
    const rows = claimed(['interrupted', 'interrupted', 'interrupted', 'interrupted', '<verify-pass/>'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('in a way that waiting does not cure: the next in the order, else the end', () => {
    const missing = { kind: 'missing' as const, message: 'codex is not installed' }
    expect(outcome(claimed([missing]))).toBe('agent_unusable unproven')
    const rows = claimed([missing, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'gemini'] },
    }))
    expect(asked(rows).at(-1)).toBe('gemini opinion')
    expect(outcome(rows)).toBe('project_complete proven')
  })
})

test('a second opinion never overwrites the iteration that it judges', () => {
  const rows = claimed(['<verify-pass/>'])
  let view: View | null = null
  let before: View['iterations'] = []
  for (const row of rows) {
    if (calls([row]).some(({ role }) => role === 'opinion')) before = view?.iterations ?? []
    view = foldView(view, row)
  }
  const { why: _, ...iteration } = before[0] ?? { why: null }
  expect(view?.iterations).toHaveLength(1)
  expect(view?.iterations[0]).toMatchObject(iteration)
  expect(iteration).toMatchObject({ agent: 'claude', summary: 'worked', end: 'success' })
  // Its cost is the run's.
  expect(view?.spent.usd).toBeCloseTo(1)
})
