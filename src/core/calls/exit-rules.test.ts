import { describe, expect, test } from 'vitest'
import type { ReplySignals } from '../agent-output/reply.ts'
import type { ExitRules } from '../state/rules.ts'
import { NO_EXIT_COUNTS, type ExitCounts } from '../state/job.ts'
import { evaluateExit, type ExitFacts, type ExitEvaluation } from './exit-rules.ts'

const RULES: ExitRules = {
  testOnly: 3,
  doneSignals: 2,
  safety: 5,
  confirm: null,
  plan: 'require',
  denial: 'halt',
}

const SILENT: ReplySignals = {
  from: 'none',
  block: null,
  exitSignal: null,
  complete: false,
  testOnly: false,
  noWork: false,
  questions: 0,
  errors: [],
  confidence: 0,
  summary: '',
  because: {},
}
const YES: Partial<ExitFacts> = { signals: { ...SILENT, exitSignal: true, complete: true } }
const NO: Partial<ExitFacts> = { signals: { ...SILENT, exitSignal: false } }
const DONE: Partial<ExitFacts> = { signals: { ...SILENT, complete: true } }
const TESTS: Partial<ExitFacts> = { signals: { ...SILENT, testOnly: true } }
const OPEN_CHECKBOXES = { checkboxes: { open: 2, done: 1 } }

function facts(more: Partial<ExitFacts>): ExitFacts {
  return { signals: SILENT, denials: [], checkboxes: null, gates: false, moved: false, ...more }
}

/** Weighs replies one after the other; the last result. */
function weighAll(replies: Partial<ExitFacts>[], rules: Partial<ExitRules> = {}): ExitEvaluation {
  let exitCounts: ExitCounts = NO_EXIT_COUNTS
  let last: ExitEvaluation | null = null
  for (const reply of replies) {
    last = evaluateExit(exitCounts, facts(reply), { ...RULES, ...rules })
    exitCounts = last.exitCounts
  }
  if (last === null) throw new Error('no reply')
  return last
}

describe('each of the six rules can be reached', () => {
  test.each<[string, Partial<ExitFacts>[], Partial<ExitRules>]>([
    ['permission_denied', [{ denials: [{ tool: 'Bash', command: 'rm x' }] }], {}],
    ['test_saturation', [TESTS, TESTS, TESTS], {}],
    ['completion_signals', [DONE, DONE], {}],
    ['safety_stop', Array<Partial<ExitFacts>>(5).fill({ ...YES, ...OPEN_CHECKBOXES }), {}],
    ['project_complete', [YES, YES], {}],
    ['plan_complete', [{ checkboxes: { open: 0, done: 3 } }], {}],
  ])('%s', (is, replies, rules) => {
    expect(weighAll(replies, rules).exit?.is).toBe(is)
    if (replies.length > 1) expect(weighAll(replies.slice(0, -1), rules).exit).toBeNull()
  })
})

test('the first rule that matches wins', () => {
  const all = { ...DONE, ...TESTS, denials: [{ tool: 'Write' }], checkboxes: { open: 0, done: 1 } }
  expect(weighAll([all, all, all]).exit?.is).toBe('permission_denied')
  expect(weighAll([all, all, all], { denial: 'continue' }).exit?.is).toBe('test_saturation')
})

describe('signals', () => {
  test('an explicit false clears what was counted', () => {
    expect(weighAll([YES, NO, YES]).exit).toBeNull()
    expect(weighAll([DONE, NO, DONE]).exit).toBeNull()
    expect(weighAll([DONE, NO]).exitCounts).toEqual(NO_EXIT_COUNTS)
  })

  test('counts are of iterations in a row', () => {
    expect(weighAll([DONE, {}, DONE]).exit).toBeNull()
    expect(weighAll([TESTS, TESTS, {}, TESTS]).exit).toBeNull()
  })

  test('testing that changed something is work, and begins the count anew', () => {
    const writes = { ...TESTS, moved: true }
    expect(weighAll(Array<Partial<ExitFacts>>(9).fill(writes)).exit).toBeNull()
    expect(weighAll([TESTS, TESTS, writes, TESTS, TESTS]).exit).toBeNull()
    expect(weighAll([writes, TESTS, TESTS, TESTS]).exit?.is).toBe('test_saturation')
  })

  test('with gates one exit signal is enough, since the gates decide', () => {
    expect(weighAll([{ ...YES, gates: true }]).exit?.is).toBe('project_complete')
    expect(weighAll([{ ...YES, gates: true }], { confirm: 2 }).exit).toBeNull()
  })

  test('a threshold of 0 switches its rule off', () => {
    expect(weighAll(Array<Partial<ExitFacts>>(9).fill({ ...DONE }), { doneSignals: 0, safety: 0 }).exit).toBeNull()
  })
})

describe('open boxes', () => {
  test('refuse a completion, which then adds no signal', () => {
    const weighed = weighAll([{ ...YES, ...OPEN_CHECKBOXES }])
    expect(weighed).toEqual({
      exitCounts: { testOnly: 0, done: 0, indicators: 0, claims: 1 },
      claimed: true,
      refused: 'the plan still has 2 open items',
      exit: null,
    })
  })

  test('do not matter when the settings say so, or when there are none', () => {
    expect(
      weighAll(
        [
          { ...YES, ...OPEN_CHECKBOXES },
          { ...YES, ...OPEN_CHECKBOXES },
        ],
        { plan: 'ignore' },
      ).exit?.is,
    ).toBe('project_complete')
    expect(weighAll([YES]).refused).toBeNull()
  })

  test('a plan without any box is not complete', () => {
    expect(weighAll([{ checkboxes: { open: 0, done: 0 } }]).exit).toBeNull()
  })
})
