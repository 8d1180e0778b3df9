/** Small tables of the protected files: what a trial shows, what a person is asked about, what a second agent said, how fit the clean room is. */
import { describe, expect, test } from 'vitest'
import { scanTags } from '../agent-output/tags/tag-scan.ts'
import { createAgentReportFold } from '../agent-output/tags/agent-report-fold.ts'
import { someEvidence, someClassification } from '../../../test/kit/core.ts'
import {
  createAcceptanceRequest,
  acceptanceCountText,
  coversEntireTree,
  describeAcceptanceRequest,
  type AcceptanceRequest,
} from './acceptance.ts'
import type { Evidence, Gate } from './evidence.ts'
import { evaluateCleanRoomTrial, nextSharedToolsLevel } from './clean-room-check.ts'
import { reportedReview, type Review } from './review.ts'
import { failedGateIn, testCountOf, newlyWrittenFiles, type CompletedTrial } from './trial.ts'
import { passesExceptQuarantined, describeGateFailure, decideVerdict, hasPassed } from './verdict.ts'

const GREEN = someEvidence('test', { green: true })
const RED: Evidence = { ...someEvidence('test', { green: false }), failing: ['a'] }

function ran(results: Evidence[], change: Partial<CompletedTrial> = {}): CompletedTrial {
  return {
    is: 'ran',
    durationMs: 1,
    results,
    named: [],
    sharedPaths: [],
    writtenFiles: [],
    unremovableTests: [],
    ...change,
  }
}

test.each<[text: string, review: Review]>([
  ['fine <verify-pass/>', { is: 'pass' }],
  ['fine <verify-pass  />', { is: 'pass' }],
  ['<verify-fail>no\n  tests</verify-fail>', { is: 'fail', why: 'no tests' }],
  ['<verify-fail> </verify-fail>', { is: 'fail', why: 'no reason given' }],
  ['<verify-pass/> no: <verify-fail>x</verify-fail>', { is: 'fail', why: 'x' }],
  ['looks good', { is: 'none' }],
  [`<verify-fail>${'x'.repeat(600)}</verify-fail>`, { is: 'fail', why: 'x'.repeat(500) }],
  ['I will not write `<verify-pass/>`.', { is: 'none' }],
  ['<verify-fail>no</verify-fail> Mended, it would be <verify-pass/>', { is: 'fail', why: 'no' }],
])('a second opinion: %#', (text, review) => {
  const told = createAgentReportFold().finish([scanTags(text)])
  expect(reportedReview({ told })).toEqual(review)
})

describe('a gate', () => {
  test.each<[change: Partial<Evidence>, isPassed: boolean]>([
    [{}, true],
    [{ exit: 1 }, false],
    [{ timedOut: true }, false],
    [{ missing: true }, false],
    [{ unstable: true }, false],
  ])('passed: %j', (change, isPassed) => {
    expect(hasPassed({ ...GREEN, ...change })).toBe(isPassed)
  })

  test.each<[change: Partial<Evidence>, quarantine: string[], doesCount: boolean]>([
    [{}, ['a'], true],
    [{}, ['b'], false],
    [{}, ['b', 'a*'], true],
    [{ failing: ['a', 'b'] }, ['a'], false],
    [{ failing: [] }, ['*'], false],
    [{ timedOut: true }, ['a'], false],
    [{ missing: true }, ['a'], false],
    [{ unstable: true }, ['a'], false],
    [{ exit: null }, ['a'], false],
  ])('counts although it failed: %j by %j', (change, quarantine, doesCount) => {
    expect(passesExceptQuarantined({ ...RED, ...change }, quarantine)).toBe(doesCount)
  })

  test('fails in words', () => {
    expect(describeGateFailure({ ...RED, missing: true, summary: 'sh: x: not found' })).toBe(
      'test could not start: sh: x: not found',
    )
  })
})

describe('the judgement', () => {
  const gate = (name: string): Gate => ({
    name,
    run: name,
    timeoutMs: 1,
    when: 'completion',
    cwd: '.',
    env: {},
  })
  const lint = { ...GREEN, gate: 'lint' }

  test.each<[what: string, gates: string[], evidence: Evidence[], verdict: string, why: string]>([
    ['no gate', [], [], 'unproven', 'no gate is configured, so nothing was checked'],
    ['green', ['test'], [GREEN], 'proven', 'test passes'],
    ['both green', ['test', 'lint'], [GREEN, lint], 'proven', 'test and lint pass'],
    ['one not run', ['test', 'lint'], [GREEN], 'unproven', 'lint did not run'],
    [
      'on other trees',
      ['test', 'lint'],
      [GREEN, { ...lint, tree: 'other' }],
      'failed',
      'a gate changed the tree, so the gates did not run on the same files',
    ],
    ['red', ['test'], [RED], 'failed', 'test failed (exit 1)'],
    ['out of time', ['test'], [{ ...RED, timedOut: true }], 'timed-out', 'test timed out'],
  ])('%s', (_, gates, evidence, verdict, why) => {
    expect(decideVerdict(gates.map(gate), evidence)).toEqual({ verdict, why })
  })

  test('blames nobody for what was red before', () => {
    const at = (before: { passed: boolean; failing: string[] }, failing: string[]): string =>
      decideVerdict([gate('test')], [{ ...RED, failing }], { baseline: { test: { ...before, exit: 1 } } }).verdict
    expect([
      at({ passed: true, failing: [] }, ['a']),
      at({ passed: false, failing: ['a'] }, ['a']),
      at({ passed: false, failing: ['a', 'b'] }, ['b', 'a']),
      at({ passed: false, failing: ['a'] }, ['b']),
      at({ passed: false, failing: [] }, []),
    ]).toEqual(['regressed', 'baseline-failed', 'baseline-failed', 'failed', 'failed'])
  })

  test('knows what is in quarantine', () => {
    expect(decideVerdict([gate('test')], [RED], { quarantine: ['a'] }).verdict).toBe('proven')
  })
})

test('a trial: what is red, what was written, how many tests ran', () => {
  expect([
    failedGateIn(ran([GREEN, RED]))?.exit,
    failedGateIn(ran([GREEN])),
    failedGateIn(ran([RED], { unremovableTests: ['a'] })),
  ]).toEqual([1, null, null])
  expect(newlyWrittenFiles(ran([], { writtenFiles: ['x', 'y'] }), ['x'])).toEqual(['y'])
  expect([
    testCountOf(ran([])),
    testCountOf(ran([GREEN])),
    testCountOf(
      ran([
        { ...GREEN, tests: 2 },
        { ...GREEN, tests: 3 },
        { ...GREEN, tests: null },
      ]),
    ),
  ]).toEqual([null, null, 5])
})

describe('the fitness of the room', () => {
  const known = { sharedTools: 'tools' as const, base: 'w:0' }

  test.each<
    [
      what: string,
      baseline: Parameters<typeof evaluateCleanRoomTrial>[1]['baseline'],
      trial: CompletedTrial,
      isUsable: boolean,
    ]
  >([
    ['green as before', { test: { passed: true, failing: [], exit: 0 } }, ran([GREEN]), true],
    ['nobody knows better', {}, ran([RED]), true],
    ['red, and was green', { test: { passed: true, failing: [], exit: 0 } }, ran([RED]), false],
    ['red as before', { test: { passed: false, failing: ['a'], exit: 1 } }, ran([RED]), true],
    ['red with another exit', { test: { passed: false, failing: ['a'], exit: 2 } }, ran([RED]), false],
    ['red by other tests', { test: { passed: false, failing: ['b'], exit: 1 } }, ran([RED]), false],
    ['red by more tests', { test: { passed: false, failing: ['a', 'b'], exit: 1 } }, ran([RED]), false],
    ['green, and was red', { test: { passed: false, failing: ['a'], exit: 1 } }, ran([GREEN]), false],
    [
      'red by what is excused',
      { test: { passed: true, failing: [], exit: 0 } },
      ran([RED], { unremovableTests: ['a'] }),
      true,
    ],
  ])('%s', (_, baseline, trial, isUsable) => {
    expect(evaluateCleanRoomTrial(trial, { ...known, baseline }).is).toBe(isUsable ? 'fit' : 'clean-room-unusable')
  })

  test('is told with what was shared and how many tests ran', () => {
    const trial = ran([{ ...GREEN, tests: 4 }], { writtenFiles: ['x'] })
    expect(evaluateCleanRoomTrial(trial, { ...known, baseline: {} })).toEqual({
      is: 'fit',
      sharedTools: 'tools',
      tests: 4,
      base: 'w:0',
      writtenFiles: ['x'],
    })
  })

  test.each<[trial: Parameters<typeof evaluateCleanRoomTrial>[0], wasGreen: boolean, why: string]>([
    [{ is: 'room-failed', durationMs: 1, why: 'no disk' }, true, 'no disk'],
    [ran([GREEN]), false, 'test fails in the working tree and passes in the clean room'],
    [ran([{ ...RED, summary: '' }]), true, 'test failed (exit 1) in the clean room, but passes in the working tree'],
    [
      ran([{ ...RED, failing: ['z'], summary: '1\n2\n3\n4\n5\n6' }]),
      false,
      'test failed (exit 1) in the clean room, differently than in the working tree:\n1\n2\n3\n4\n5',
    ],
  ])('why it is not fit: %#', (trial, wasGreen, why) => {
    const baseline = { test: { passed: wasGreen, failing: ['a'], exit: 1 } }
    expect(evaluateCleanRoomTrial(trial, { ...known, baseline })).toEqual({ is: 'clean-room-unusable', why })
  })

  test('more is lent, and then no more', () => {
    expect([
      nextSharedToolsLevel('nothing'),
      nextSharedToolsLevel('tools'),
      nextSharedToolsLevel('ignored'),
      nextSharedToolsLevel('neighbours'),
    ]).toEqual(['tools', 'ignored', 'neighbours', null])
  })
})

describe('what a person is asked about', () => {
  const protectedNames = Array.from({ length: 12 }, (_, n) => `test/${n}.js`)
  const classification = someClassification({
    unclear: [{ path: 'x.bin', why: 'binary' }],
    names: { work: [], protectedFiles: protectedNames },
    plan: 'p',
    refs: 'r',
  })

  test('names the needed changes, what is unclear and what is ignored', () => {
    const asked = createAcceptanceRequest(classification, { changes: [[1, 2]], exact: true, red: null }, ['.env'])
    expect(asked).toEqual({
      file: classification.file,
      hash: 'h',
      final: 'w:1',
      plan: 'p',
      refs: 'r',
      changes: [[1, 2]],
      exact: true,
      red: null,
      unclear: classification.unclear,
      ignored: ['.env'],
      names: ['test/1.js', 'test/2.js', 'x.bin', '.env'],
      count: 4,
    })
    const many = createAcceptanceRequest(classification, { changes: [[0, 9]], exact: true, red: null }, [])
    expect([many.names.length, many.count]).toEqual([8, 11])
  })

  const about = (change: Partial<AcceptanceRequest>): AcceptanceRequest => ({
    ...createAcceptanceRequest(classification, { changes: [], exact: true, red: null }, []),
    ...change,
  })

  test('in words', () => {
    expect([
      describeAcceptanceRequest('it needs a', about({})),
      describeAcceptanceRequest('it needs a', about({ proofGap: 'no test runs' })),
    ]).toEqual(['it needs a', 'it needs a; besides, no test runs'])
    const unclear = [{ path: '.', why: 'lost' }]
    expect([
      acceptanceCountText(about({ count: 1, tests: 1 })),
      acceptanceCountText(about({ count: 3, tests: 1 })),
      acceptanceCountText(about({ count: 3 })),
      acceptanceCountText(about({ count: 1, ignored: ['a'] })),
      acceptanceCountText(about({ count: 1, unclear })),
      acceptanceCountText(about({ count: 3, tests: 2, unclear })),
    ]).toEqual([
      '1 test file changed',
      '3 test or config files changed',
      '3 protected files changed',
      '1 ignored file used',
      'the whole tree',
      'the whole tree, 2 test files changed',
    ])
    expect([coversEntireTree(about({})), coversEntireTree(about({ unclear: [{ path: '.', why: 'lost' }] }))]).toEqual([
      false,
      true,
    ])
  })
})
