import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellWidth } from '../text/cell-width.ts'
import { someEvidence } from '../../../test/kit/core.ts'
import { stripControl } from '../text/sanitize.ts'
import { gateFailureLines } from './gate-failure-lines.ts'
import { summarizeGateOutput } from './gate-output.ts'

/** As the programs themselves wrote it, cut to what matters. */
const OUTPUTS: Record<string, { output: string[]; lines: string[] }> = {
  jest: {
    output: [
      'FAIL ./a.test.js',
      '  adds',
      '    ✕ two numbers (3 ms)',
      '',
      '  ● adds › two numbers',
      '',
      '    expect(received).toBe(expected) // Object.is equality',
      '',
      '    Expected: 4',
      '    Received: 3',
      '',
      'Test Suites: 1 failed, 1 total',
      'Tests:       1 failed, 31 passed, 32 total',
    ],
    lines: ['Tests: 1 failed, 31 passed, 32 total', 'adds › two numbers: Expected: 4 Received: 3'],
  },
  vitest: {
    output: [
      ' FAIL  v.test.ts > adds > two',
      'AssertionError: expected 3 to be 4 // Object.is equality',
      '',
      '- Expected',
      '+ Received',
      '',
      ' Test Files  1 failed (1)',
      '      Tests  1 failed | 1 passed (2)',
    ],
    lines: ['Tests 1 failed | 1 passed (2)', 'v.test.ts > adds > two: AssertionError: expected 3 to be 4'],
  },
  mocha: {
    output: ['  1 passing (3ms)', '  1 failing', '', '  1) adds', '       two:', '     AssertionError: 3 == 4'],
    lines: ['1 passing (3ms), 1 failing', 'adds > two: AssertionError: 3 == 4'],
  },
  'node, told as TAP': {
    output: [
      'TAP version 13',
      'not ok 1 - adds',
      '  ---',
      "  location: '/a.test.js:2:1'",
      '  error: |-',
      '    Expected values to be strictly equal:',
      '    ',
      '    3 !== 4',
      '    ',
      "  code: 'ERR_ASSERTION'",
      '  ...',
      'ok 2 - fine',
      '1..2',
      '# tests 2',
      '# pass 1',
      '# fail 1',
      '# cancelled 0',
    ],
    lines: ['1 failed, 1 passed', 'adds: Expected values to be strictly equal: 3 !== 4'],
  },
  'node, told to people': {
    output: [
      '✖ adds (1.2ms)',
      '✔ fine (0.1ms)',
      'ℹ tests 2',
      'ℹ pass 1',
      'ℹ fail 1',
      '',
      '✖ failing tests:',
      '',
      'test at a.test.js:2:1',
      '✖ adds (1.2ms)',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  ',
      '  3 !== 4',
      '  ',
    ],
    lines: [
      '1 failed, 1 passed',
      'adds: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 3 !== 4',
    ],
  },
  pytest: {
    output: [
      'E       assert (1 + 2) == 4',
      '=========================== short test summary info ============================',
      'FAILED test_a.py::test_add - assert (1 + 2) == 4',
      'FAILED test_a.py::test_err - ValueError: bad value',
      '========================= 2 failed, 1 passed in 0.58s ==========================',
    ],
    lines: [
      '2 failed, 1 passed in 0.58s',
      'test_a.py::test_add: assert (1 + 2) == 4',
      'test_a.py::test_err: ValueError: bad value',
    ],
  },
  cargo: {
    output: [
      'test adds ... FAILED',
      'test ok ... ok',
      '',
      'failures:',
      '',
      '---- adds stdout ----',
      '',
      "thread 'adds' (21472) panicked at src/lib.rs:1:20:",
      'assertion `left == right` failed',
      '  left: 3',
      ' right: 4',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
      '',
      'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.21s',
      '',
      'error: test failed, to rerun pass `--lib`',
    ],
    lines: [
      'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.21s',
      'adds: assertion `left == right` failed left: 3 right: 4',
    ],
  },
  rustc: {
    output: [
      'error[E0425]: cannot find value `x` in this scope',
      ' --> src/main.rs:2:5',
      'error: could not compile `a` (bin "a") due to 1 previous error',
    ],
    lines: [
      'error: could not compile `a` (bin "a") due to 1 previous error',
      'src/main.rs:2 [E0425]: cannot find value `x` in this scope',
    ],
  },
  go: {
    output: [
      '--- FAIL: TestAdd (0.00s)',
      '    a_test.go:9: got 3, want 4',
      'FAIL',
      'FAIL\texample.com/a\t0.002s',
      'FAIL',
    ],
    lines: ['FAIL example.com/a 0.002s', 'TestAdd: a_test.go:9: got 3, want 4'],
  },
  tsc: {
    output: [
      "t.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "t.ts(2,1): error TS2304: Cannot find name 'foo'.",
    ],
    lines: [
      "t.ts:1 TS2322: Type 'string' is not assignable to type 'number'.",
      "t.ts:2 TS2304: Cannot find name 'foo'.",
    ],
  },
  eslint: {
    output: [
      '/p/src/a.js',
      '  1:7  error    x is assigned a value but never used  no-unused-vars',
      '  2:1  warning  odd  semi',
      '',
      '✖ 2 problems (1 error, 1 warning)',
    ],
    lines: ['2 problems (1 error, 1 warning)', '/p/src/a.js:1 no-unused-vars: x is assigned a value but never used'],
  },
  make: {
    output: ['cc -c a.c', 'building', 'make: *** [Makefile:3: test] Error 1'],
    lines: ['make: *** [Makefile:3: test] Error 1', 'cc -c a.c', 'building'],
  },
  'a script that npm runs': {
    output: [
      '> @m/b@1.0.0 test',
      '> node test.js',
      '',
      'the port is wrong',
      '> 12 | quoted code',
      'Node.js v20.20.2',
      'npm ERR! code 1',
      'npm ERR! path /p',
    ],
    lines: ['the port is wrong', '> 12 | quoted code'],
  },
  'a program nobody knows': {
    output: ['step 1', 'cannot open the door', 'step 2', 'step 3', 'step 4', 'leaving'],
    lines: ['cannot open the door', 'step 3', 'step 4', 'leaving'],
  },
  'a program that is missing': { output: ['sh: 1: go: not found'], lines: ['sh: 1: go: not found'] },
  nothing: { output: [], lines: [] },
}

function red(output: string): string[] {
  return gateFailureLines({ ...someEvidence('test', { green: false }), summary: summarizeGateOutput(output) })
}

describe('failing lines', () => {
  test.each(Object.entries(OUTPUTS))('of %s', (_, { output, lines }) => {
    expect(red(output.join('\n'))).toEqual(lines)
  })
  test('there are none of a gate that passed', () => {
    expect(gateFailureLines({ ...someEvidence('test', { green: true }), summary: '1 failed' })).toEqual([])
  })
  test('a green sum of one program does not speak for the red one after it', () => {
    const output = ['      Tests  31 passed (31)', "t.ts(2,1): error TS2304: Cannot find name 'foo'."]
    expect(red(output.join('\n'))).toEqual(["t.ts:2 TS2304: Cannot find name 'foo'."])
  })
  test('what does not fit is counted', () => {
    const output = Array.from({ length: 14 }, (_, i) => `not ok ${i} - test ${i}`).join('\n')
    expect(red(output)).toEqual([...Array.from({ length: 9 }, (_, i) => `test ${i}`), 'and 5 more'])
  })
  test('totals are found below the names as well', () => {
    const summary = 'Failing (1):\n- adds\n\nAssertionError: 3 == 4\n\nTests:       1 failed, 1 total'
    expect(gateFailureLines({ ...someEvidence('test', { green: false }), summary })).toEqual([
      'Tests: 1 failed, 1 total',
      'adds',
      'AssertionError: 3 == 4',
    ])
  })
  test('few, short and without control characters, whatever a gate writes', () => {
    const line = fc.oneof(
      fc.constantFrom(...Object.values(OUTPUTS).map(({ output }) => output.join('\n'))),
      fc.string({ unit: 'binary' }),
      fc.constant(`error: ${'漢'.repeat(300)}`),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (parts) => {
        const lines = red(parts.join('\n'))
        expect(lines.length).toBeLessThanOrEqual(10)
        for (const one of lines) {
          expect(cellWidth(one)).toBeLessThanOrEqual(200)
          expect(one).toBe(stripControl(one))
          expect(one).not.toContain('\n')
        }
      }),
    )
  })
})

test('of a gate that keeps changing the tree: the file and what ignores it, and of one that failed as well what it said', () => {
  const fix = ['It rewrites out.txt on every run.', 'echo out.txt >> .gitignore']
  const summary = [...fix, '# pass 3', '# fail 0'].join('\n')
  expect(gateFailureLines({ ...someEvidence('test', { green: true }), unstable: true, summary })).toEqual(fix)
  expect(gateFailureLines({ ...someEvidence('test', { green: false }), unstable: true, summary })).toEqual([
    ...fix,
    '# pass 3',
    '# fail 0',
  ])
})
