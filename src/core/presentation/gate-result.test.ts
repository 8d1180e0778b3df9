import { expect, test } from 'vitest'
import { someEvidence } from '../../../test/kit/core.ts'
import type { GateRunPurpose } from '../proof/evidence.ts'
import { gateResultMark, gateResultText } from './gate-result.ts'

const RESULTS: [GateRunPurpose, green: boolean, mark: string, text: string][] = [
  ['baseline', true, '✓', 'baseline: tests pass'],
  ['baseline', false, '!', 'baseline: tests failed (exit 1)'],
  ['completion', true, '✓', 'tests: pass'],
  ['completion', false, '✗', 'tests: failed (exit 1)'],
  ['room', false, '✗', 'tests: failed (exit 1)'],
  ['original-tests', false, '✗', 'tests: failed (exit 1)'],
  ['base', false, '!', 'tests: failed (exit 1)'],
  ['needed', false, '!', 'tests: failed (exit 1)'],
  ['source-loaded', false, '✓', 'tests: failed as expected (exit 1)'],
  ['source-loaded', true, '!', 'tests: pass, but should fail'],
  ['mutation', false, '✓', 'tests: failed as expected (exit 1)'],
  ['expects', false, '✓', 'tests: failed as expected (exit 1)'],
  ['expects', true, '!', 'tests: pass, but should fail'],
]

test.each(RESULTS)('a gate of the trial %s that passes (%s) is marked %s', (purpose, green, mark, text) => {
  const evidence = someEvidence('tests', { green, purpose })
  expect([gateResultMark(evidence).glyph, gateResultText(evidence)]).toEqual([mark, text])
})

test('a time limit that ends a trial is not what was expected', () => {
  const evidence = someEvidence('tests', { green: false, purpose: 'mutation' })
  expect(gateResultText({ ...evidence, timedOut: true, exit: null })).toBe('tests: timed out')
})
