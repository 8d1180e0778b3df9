import { describe, expect, test } from 'vitest'
import type { Outcome } from '../state/outcome.ts'
import { adviceForEndedRun, adviceContextOf } from './advice.ts'
import { LOOP_START_COMMAND } from '../state/start-command.ts'
import { outcomeDetails, outcomeHeading, hasGates, outcomeTitle, outcomeTone } from './outcome-text.ts'
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
  red: { why: 'gate test (npm test) failed with exit 1', lines: 'not ok 1\n\nexpected 3' },
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
  ['proven done', 'good', 'ralph show k7f3qa', outcome({ verdict: 'proven' })],
  [
    'nothing to do',
    'warn',
    'ralph task add "what to do"',
    outcome({ is: 'tasks_complete', verdict: 'unproven', cause: { is: 'nothing-to-do' } }),
  ],
  ['gates passed', 'warn', 'RALPH_PROOF_LEVEL=full ralph verify', outcome({ verdict: 'gates-passed' })],
  ['gates passed', 'bad', 'RALPH_PROOF_LEVEL=full ralph verify', outcome({ verdict: 'gates-passed', exit: 5 })],
  [
    'done, if you accept 3 files',
    'warn',
    'ralph accept',
    outcome({ is: 'needs_acceptance', verdict: 'needs-review', exit: 5, acceptance: ASKED }),
  ],
  ['unproven, the clean room failed', 'warn', 'ralph verify', outcome({ is: 'room_failed', exit: 5 })],
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

test('one file is asked about by its article', () => {
  const ended = outcome({
    is: 'needs_acceptance',
    verdict: 'needs-review',
    acceptance: { ...ASKED, count: 1 },
  })
  expect(outcomeHeading(ended)).toBe('Done, if you accept a file')
})

describe('what belongs to the sentence', () => {
  test('is what no trial could settle, and what the gates say without the files', () => {
    expect(outcomeDetails(outcome({ acceptance: ASKED }))).toEqual([
      'src/lib.rs: its inner tests were edited',
      'without them: gate test (npm test) failed with exit 1',
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
