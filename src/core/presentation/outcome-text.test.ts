import { describe, expect, test } from 'vitest'
import type { Verdict } from '../proof/evidence.ts'
import type { Outcome, OutcomeName } from '../state/outcome.ts'
import { adviceForEndedRun, adviceContextOf } from './advice.ts'
import { LOOP_START_COMMAND } from '../state/start-command.ts'
import { outcomeDetails, outcomeHeading, outcomeHeadline, hasGates, outcomeTitle, outcomeTone } from './outcome-text.ts'
import type { AcceptanceRequest } from '../proof/acceptance.ts'
import { someRules } from '../../../test/kit/core.ts'

const ASKED: AcceptanceRequest = {
  file: '/logs/k7f3qa/2/changes.json',
  hash: 'h',
  final: 'w:2',
  plan: null,
  refs: null,
  changes: [[0, 1]],
  exact: true,
  red: { why: 'test failed (exit 1)', lines: 'not ok 1\n\nexpected 3' },
  unclear: [{ path: 'src/lib.rs', why: 'its inner tests were edited' }],
  ignored: [],
  names: ['tools/verify.py', 'data/expected.csv', 'src/lib.rs'],
  count: 3,
}

const outcome = (change: Partial<Outcome>): Outcome => ({
  is: 'project_complete',
  reason: 'because',
  verdict: 'unproven',
  exit: 0,
  ...change,
})

const ENDS: [title: string, tone: string, first: string, ended: Outcome, gated?: boolean][] = [
  ['proven done', 'good', 'git show', outcome({ verdict: 'proven' })],
  [
    'nothing to do',
    'warn',
    'ralph task add "what to do"',
    outcome({ is: 'tasks_complete', verdict: 'unproven', cause: { is: 'nothing-to-do' } }),
  ],
  ['gates passed', 'warn', 'RALPH_PROOF_LEVEL=full ralph verify', outcome({ verdict: 'gates-passed' })],
  ['gates passed', 'bad', 'RALPH_PROOF_LEVEL=full ralph verify', outcome({ verdict: 'gates-passed', exit: 5 })],
  [
    'done, needs review',
    'warn',
    'ralph accept',
    outcome({ is: 'needs_acceptance', verdict: 'needs-review', exit: 5, acceptance: ASKED }),
  ],
  ['unproven', 'warn', 'ralph verify', outcome({ is: 'room_failed', exit: 5 })],
  ['done, unproven', 'warn', 'ralph verify', outcome({})],
  ['done, unproven', 'warn', 'ralph verify', outcome({}), false],
  ['not done', 'bad', 'ralph verify', outcome({ exit: 5 })],
  ['not done', 'bad', 'ralph verify', outcome({ is: 'cannot_prove', verdict: 'failed', exit: 4 })],
  ['not done', 'bad', 'ralph loop', outcome({ is: 'outage', exit: 4 })],
]

test.each(ENDS)('%s (%s): %s', (title, tone, first, ended, gated = true) => {
  const { command } = adviceForEndedRun({
    outcome: ended,
    run: 'k7f3qa',
    adviceContext: { ...adviceContextOf(someRules(), LOOP_START_COMMAND), gated },
  })
  expect([outcomeTitle(ended), outcomeTone(ended), command]).toEqual([title, tone, first])
})

test('only a proof is called one', () => {
  const others = ENDS.filter(([, , , ended]) => ended.verdict !== 'proven').map(([title]) => title)
  expect(others.filter((title) => /(?<!un)proven/.test(title))).toEqual([])
})

test('one protected file is one', () => {
  const ended = outcome({
    is: 'needs_acceptance',
    verdict: 'needs-review',
    acceptance: { ...ASKED, count: 1 },
  })
  expect(outcomeHeading(ended)).toBe('Done, needs review: 1 protected file changed')
})

describe('a headline', () => {
  const headline = (change: Partial<Outcome>): string => outcomeHeadline(outcome({ exit: 4, ...change }))

  test.each<[Partial<Outcome>, string]>([
    [{ verdict: 'proven', exit: 0 }, 'PROVEN DONE'],
    [{ verdict: 'gates-passed', exit: 0 }, 'GATES PASSED'],
    [{ exit: 0 }, 'DONE, UNPROVEN'],
    [{ exit: 5 }, 'NOT DONE: unproven'],
    [
      { is: 'needs_acceptance', verdict: 'needs-review', acceptance: { ...ASKED, unclear: [], count: 1, tests: 1 } },
      'DONE, NEEDS REVIEW: 1 test file changed',
    ],
    [
      { is: 'cannot_prove', verdict: 'regressed', cause: { is: 'refused', gate: 'tests', lines: [] } },
      'NOT DONE: tests failed, but passed before the run',
    ],
    [{ is: 'cost_limit' }, 'NOT DONE: budget spent'],
    [{ is: 'breaker', cause: { is: 'stuck', why: 'no-progress', said: '' } }, 'NOT DONE: no progress'],
    [{ is: 'room_failed', exit: 5 }, 'UNPROVEN: the clean room failed'],
    [{ is: 'not_started' }, 'NOT STARTED'],
    [{ is: 'drafted', exit: 0 }, 'DRAFTED'],
  ])('%j is %s', (change, line) => {
    expect(headline(change)).toBe(line)
  })

  const NAMES = Object.keys({
    plan_complete: 0,
    project_complete: 0,
    completion_signals: 0,
    test_saturation: 0,
    safety_stop: 0,
    permission_denied: 0,
    breaker: 0,
    iteration_limit: 0,
    time_limit: 0,
    token_limit: 0,
    cost_limit: 0,
    agent_unusable: 0,
    program_missing: 0,
    not_started: 0,
    outage: 0,
    api_limit_exit: 0,
    cannot_prove: 0,
    needs_acceptance: 0,
    room_failed: 0,
    files_deleted: 0,
    tasks_complete: 0,
    tasks_failed: 0,
    tasks_blocked: 0,
    no_plan: 0,
    drafted: 0,
    not_drafted: 0,
    verified: 0,
    stopped: 0,
    abandoned: 0,
    failed: 0,
  } satisfies Record<OutcomeName, 0>) as OutcomeName[]
  const VERDICTS: Verdict[] = [
    'proven',
    'gates-passed',
    'needs-review',
    'failed',
    'regressed',
    'tampered',
    'baseline-failed',
    'flaky',
    'timed-out',
    'unproven',
  ]

  test('has at most 60 characters and no private word, whatever the outcome', () => {
    const gates = [null, 'tests', 'a-gate-with-a-name-that-nobody-reads-to-its-end']
    const all = NAMES.flatMap((is) =>
      VERDICTS.flatMap((verdict) =>
        gates.map((gate) => headline({ is, verdict, acceptance: ASKED, cause: { is: 'refused', gate, lines: [] } })),
      ),
    )
    expect(all.filter((line) => line.length > 60)).toEqual([])
    expect(all.filter((line) => /judge|green|\bred\b|_/i.test(line))).toEqual([])
  })
})

describe('what belongs to the sentence', () => {
  test('is what no trial could settle, and what the gates say without the files', () => {
    expect(outcomeDetails(outcome({ acceptance: ASKED }))).toEqual([
      'src/lib.rs: its inner tests were edited',
      'with the original files: test failed (exit 1)',
      '  not ok 1',
      '  expected 3',
    ])
  })

  test('is nothing where nobody is asked', () => {
    expect(outcomeDetails(outcome({}))).toEqual([])
  })
})

test('any gate judges a completion', () => {
  expect([hasGates(someRules()), hasGates({ gates: [] })]).toEqual([true, false])
})
