import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripControl } from '../text/sanitize.ts'
import { parseFailingTests, summarizeGateOutput } from './gate-output.ts'

const OUTPUTS: Record<string, { output: string; failing: string[] }> = {
  vitest: {
    output: [
      ' ❯ src/a.test.ts (2 tests | 1 failed) 5ms',
      '\u001B[31m   × adds > two numbers\u001B[39m 3ms',
      '\u001B[41m FAIL \u001B[49m src/a.test.ts > adds > two numbers',
      'AssertionError: expected 3 to be 4 // Object.is equality',
      ' Test Files  1 failed (1)',
    ].join('\n'),
    failing: ['src/a.test.ts > adds > two numbers'],
  },
  jest: {
    output:
      'FAIL src/a.test.js\n  ● adds › two numbers\n\n    expect(received).toBe(expected)\n\nTests: 1 failed, 1 total',
    failing: ['adds › two numbers'],
  },
  mocha: {
    output:
      '  1 passing (3ms)\n  2 failing\n\n  1) adds\n       two numbers:\n     AssertionError: 3 == 4\n\n  2) subtracts\n       deep\n         one:\n     Error: x\n',
    failing: ['adds > two numbers', 'subtracts > deep > one'],
  },
  'jest without a suite': {
    output:
      'FAIL ./a.test.js\n  ● Console\n\n    console.log\n\n  ● adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\nTests:       1 failed, 1 passed, 2 total',
    failing: ['adds'],
  },
  'vitest in projects': {
    output: ' FAIL  |unit| src/a.test.ts > adds\n FAIL  src/b.test.ts [ src/b.test.ts ]',
    failing: ['src/a.test.ts > adds', 'src/b.test.ts'],
  },
  tap: {
    output: 'TAP version 13\nok 1 - fine\nnot ok 2 - adds\nnot ok 3 - later # TODO soon\n1..3',
    failing: ['adds'],
  },
  'node:test': {
    output: '✔ fine (0.5ms)\n✖ adds (1.25ms)\nℹ fail 1\n\n✖ failing tests:\n\n✖ adds (1.25ms)\n  AssertionError',
    failing: ['adds'],
  },
  pytest: {
    output:
      'F.\n___ test_add ___\nE   assert 3 == 4\nFAILED tests/test_a.py::test_add - assert 3 == 4\nERROR tests/test_b.py\n1 failed, 1 error',
    failing: ['tests/test_a.py::test_add', 'tests/test_b.py'],
  },
  unittest: {
    output:
      '======\nFAIL: test_add (tests.test_a.TestAdd)\n------\nTraceback (most recent call last):\nAssertionError: 3 != 4\nRan 2 tests',
    failing: ['test_add (tests.test_a.TestAdd)'],
  },
  cargo: {
    output:
      "test tests::ok ... ok\ntest tests::adds ... FAILED\n\nthread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion failed\ntest result: FAILED. 1 passed; 1 failed",
    failing: ['tests::adds'],
  },
  rustc: {
    output:
      'error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n  |\nerror: could not compile `a`',
    failing: ['src/main.rs:2 [E0425]'],
  },
  go: {
    output:
      '--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/two (0.00s)\n    a_test.go:9: got 3\nFAIL\texample.com/a\t0.002s\nFAIL',
    failing: ['TestAdd', 'TestAdd/two'],
  },
  'go build': {
    output: '# example.com/a\n./a.go:3:5: undefined: y\nFAIL\texample.com/a [build failed]',
    failing: ['./a.go:3', 'example.com/a [build failed]'],
  },
  gradle: {
    output: 'AddTest > adds two FAILED\n    org.junit.ComparisonFailure at AddTest.java:9',
    failing: ['AddTest > adds two'],
  },
  maven: {
    output: '[ERROR] Failures: \n[ERROR]   AddTest.adds:12 expected: <4> but was: <3>\n[INFO] BUILD FAILURE',
    failing: ['AddTest.adds'],
  },
  phpunit: {
    output:
      'There was 1 failure:\n\n1) Tests\\AddTest::testAdds\nFailed asserting that 3 is identical to 4.\n\nFAILURES!',
    failing: ['Tests\\AddTest::testAdds'],
  },
  rspec: {
    output:
      'Failures:\n\n  1) Add adds\n     Failure/Error: expect(3).to eq 4\n\nrspec ./spec/add_spec.rb:5 # Add adds',
    failing: ['./spec/add_spec.rb:5'],
  },
  exunit: {
    output: '  1) test adds (AddTest)\n     test/add_test.exs:5\n     Assertion with == failed',
    failing: ['test adds (AddTest)'],
  },
  dotnet: {
    output: '  Failed App.Tests.Adds [12 ms]\n  Error Message:\n   Assert.Equal() Failure',
    failing: ['App.Tests.Adds'],
  },
  tsc: {
    output:
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts:1:1 - error TS1005: ';' expected.",
    failing: ['src/a.ts:3 TS2322', 'src/b.ts:1 TS1005'],
  },
  eslint: {
    output:
      '/p/src/a.js\n  1:7  error  x is unused  no-unused-vars\n  2:1  warning  odd  semi\n  3:1  error  bad  no-undef\n\n✖ 3 problems',
    failing: ['/p/src/a.js:1 no-unused-vars', '/p/src/a.js:3 no-undef'],
  },
  'eslint, without a file': {
    output: '/p/src/a.js\nsomething else\n  1:7  error  x is unused  no-unused-vars',
    failing: [],
  },
  'rustc, an error without a number': {
    output: 'error: expected `;`, found `}`\n --> src/main.rs:2:5',
    failing: ['src/main.rs:2 error'],
  },
  'mocha, as deep as it is followed': {
    output: '  1) a\n       b\n       c\n       d\n       e\n       f:\n     Error: x',
    failing: ['a > b > c > d > e > f'],
  },
  'mocha, deeper': {
    output: '  1) a\n       b\n       c\n       d\n       e\n       f\n       g:\n     Error: x',
    failing: [],
  },
  'a numbered list, which is no mocha': { output: '  1) open the door\nthen:\n     go in:', failing: [] },
  'a name with spaces behind it': { output: 'not ok 1 - adds  ', failing: ['adds'] },
}

describe('failing tests', () => {
  test.each(Object.entries(OUTPUTS))('of %s', (_, { output, failing }) => {
    expect(parseFailingTests(output)).toEqual(failing)
    expect(parseFailingTests(output.replaceAll('\n', '\r\n'))).toEqual(failing)
  })
  test('none in output that passed', () => {
    expect(parseFailingTests('ok 1 - a\n✔ fine (1ms)\n Tests  3 passed (3)\ntest a ... ok\n')).toEqual([])
  })
  test('of a huge run are told up to a number', () => {
    const output = Array.from({ length: 600 }, (_, i) => `not ok ${i} - test ${i}`).join('\n')
    expect(parseFailingTests(output).length).toBe(500)
  })
  test('of eslint: a file with more errors than anybody reads is not looked for without end', () => {
    const errors = Array.from({ length: 110 }, (_, i) => `  ${i + 1}:1  error  bad  no-undef`)
    const failing = parseFailingTests(['/p/src/a.js', ...errors].join('\n'))
    expect([failing.length, failing.at(-1)]).toEqual([100, '/p/src/a.js:100 no-undef'])
  })
})

/** Below each name: the list of the summary. */
const SAID: Record<string, { output: string[]; list: string[] }> = {
  'jest, what was expected and what came, and no more': {
    output: [
      '  ● adds › two',
      '',
      '    expect(received).toHaveLength(expected)',
      '',
      '    Expected length: 4',
      '    Received length: 3',
      '    Received array:  [1, 2, 3]',
    ],
    list: ['- adds › two: Expected length: 4 Received length: 3'],
  },
  'jest, where it tells neither': {
    output: ['  ● adds › two', '', '    expect(received).not.toBeNull()', ''],
    list: ['- adds › two: expect(received).not.toBeNull()'],
  },
  'TAP, a block up to the next key': {
    output: [
      'not ok 1 - adds',
      '  ---',
      '  error: |-',
      '    Expected values to be strictly deep-equal:',
      '    + actual - expected',
      '    ',
      '    + [3]',
      '    - [4]',
      "  code: 'ERR_ASSERTION'",
    ],
    list: ['- adds: Expected values to be strictly deep-equal: + actual - expected + [3] - [4]'],
  },
  'TAP, three lines of a block without an end': {
    output: [
      'not ok 1 - adds',
      '  ---',
      '  error: |-',
      ...['one', 'two', 'three', 'four'].map((line) => `    ${line}`),
    ],
    list: ['- adds: one two three'],
  },
  'TAP, on one line': {
    output: ['not ok 1 - adds', '  ---', "  error: 'got 3, wanted 4'", "  code: 'ERR_ASSERTION'"],
    list: ['- adds: got 3, wanted 4'],
  },
  'cargo, without where it went wrong': {
    output: [
      '---- adds stdout ----',
      "thread 'adds' panicked at src/lib.rs:9:9:",
      'assertion `left == right` failed',
      '  left: 3',
      ' right: 4',
      'stack backtrace:',
    ],
    list: ['- adds: assertion `left == right` failed left: 3 right: 4'],
  },
  'cargo, without its notes': {
    output: [
      '---- adds stdout ----',
      "thread 'adds' panicked at src/lib.rs:9:9:",
      'assertion failed: sum == 4',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ],
    list: ['- adds: assertion failed: sum == 4'],
  },
  'node, where the sentence goes on below': {
    output: [
      '✖ adds (1.2ms)',
      '  AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:',
      '  ',
      '    assert(sum === 4)',
      '  ',
      '      at TestContext.<anonymous> (file:///a.test.js:3:3)',
    ],
    list: ['- adds: AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value: assert(sum === 4)'],
  },
  'gradle, where all of it stands below': {
    output: ['AddTest > adds FAILED', '    java.lang.AssertionError:', '    Expected: is <4>', '         but: was <3>'],
    list: ['- AddTest > adds: java.lang.AssertionError: Expected: is <4> but: was <3>'],
  },
  'what stands below the next name is said about that one': {
    output: ['not ok 1 - adds', 'not ok 2 - divides', "  error: 'by nothing'"],
    list: ['- adds', '- divides: by nothing'],
  },
  'what is said first stays': {
    output: ['✖ adds (1ms)', '  TypeError: no number', '✖ adds (1ms)', '  TypeError: told again'],
    list: ['- adds: TypeError: no number'],
  },
  'as far below as it belongs to the name': {
    output: ['✖ adds (1ms)', ...Array<string>(18).fill('console.log'), '  TypeError: no number'],
    list: ['- adds: TypeError: no number'],
  },
  'farther below it is another one\u2019s': {
    output: ['✖ adds (1ms)', ...Array<string>(19).fill('console.log'), '  TypeError: no number'],
    list: ['- adds'],
  },
}

describe('what is said about a failure', () => {
  test.each(Object.entries(SAID))('%s', (_, { output, list }) => {
    const lines = summarizeGateOutput(output.join('\n')).split('\n')
    const head = lines.findIndex((line) => line.startsWith('Failing ('))
    expect(lines.slice(head + 1, head + 1 + lines.slice(head).indexOf('') - 1)).toEqual(list)
  })
})

describe('the summary', () => {
  test.each<[string, string[], string[]]>([
    ['has no empty part', ['not ok 1 - adds'], ['Failing (1):\n- adds', 'not ok 1 - adds']],
    [
      'explains from the first line on',
      ['Traceback', 'not ok 1 - adds'],
      ['Failing (1):\n- adds', 'Traceback\nnot ok 1 - adds', 'Traceback\nnot ok 1 - adds'],
    ],
    [
      'explains in twelve lines, without the blank ones and the spaces at their ends',
      ['Traceback  ', '', '   ', ...'abcdefghijklm'.split(''), 'not ok 1 - adds'],
      ['Failing (1):\n- adds', 'Traceback\na\nb\nc\nd\ne\nf\ng\nh\ni', 'i\nj\nk\nl\nm\nnot ok 1 - adds'],
    ],
    [
      'ends with the last six lines, without the blank ones',
      ['not ok 1 - adds', ...'abcdef'.split(''), '   ', 'done  '],
      ['Failing (1):\n- adds', 'c\nd\ne\nf\ndone'],
    ],
  ])('%s', (_, output, parts) => {
    expect(summarizeGateOutput(output.join('\n')).split('\n\n')).toEqual(parts)
  })

  test.each<[string, string, number]>([
    ['of a failure', `not ok 1 - ${'x'.repeat(500)}`, 202],
    ['of the totals', `not ok 1 - adds\nFAILED | ${'x'.repeat(400)}`, 150],
    ['of what explains', `not ok 1 - adds\nTraceback ${'x'.repeat(220)}${'\n'.repeat(8)}end`, 200],
    ['of the last ones', 'x'.repeat(500), 300],
  ])('cuts a long line %s', (_, output, length) => {
    const cut = summarizeGateOutput(output)
      .split('\n')
      .filter((line) => line.endsWith('…'))
    expect(cut[0]?.length).toBe(length)
  })

  /** A hundred and ten letters each: `GateFailure (…):` and seven of them take 803 characters of the list. */
  const NAMES = Array.from({ length: 7 }, (_, i) => `${i}${'n'.repeat(109)}`)
  const failed = (names: string[]): string[] => names.map((name, i) => `not ok ${i} - ${name}`)

  test('gives each part its room, in whole lines, and what is left to the last lines', () => {
    const all = Array.from({ length: 40 }, (_, i) =>
      summarizeGateOutput(
        [
          `Traceback ${'d'.repeat(150)}`,
          ...Array<string>(11).fill('e'.repeat(118)),
          ...failed([...NAMES, 'm'.repeat(110)]),
          ...Array<string>(5).fill(''),
          'l'.repeat(260 + i),
          'the end',
        ].join('\n'),
      ),
    )
    const [list = '', detail = ''] = all[0]?.split('\n\n') ?? []
    expect(list.split('\n')).toEqual(['Failing (8):', ...NAMES.map((name) => `- ${name}`)])
    expect(detail.split('\n').map((line) => line.length)).toEqual([160, 118, 118])
    expect(all.every((summary) => summary.endsWith('\nthe end'))).toBe(true)
    // A break is counted behind each line, and the last line has none.
    expect(Math.max(...all.map((summary) => summary.length))).toBe(1499)
  })

  test.each([
    [94, 900],
    [95, 803],
  ])('a list whose last name has %i letters takes %i', (letters, length) => {
    const output = failed([...NAMES, 'm'.repeat(letters)]).join('\n')
    expect(summarizeGateOutput(output).split('\n\n')[0]?.length).toBe(length)
  })

  test('names what failed, what is said about the first, and the totals', () => {
    expect(summarizeGateOutput(OUTPUTS['vitest']?.output ?? '')).toBe(
      [
        'Test Files 1 failed (1)',
        'Failing (1):',
        '- src/a.test.ts > adds > two numbers: AssertionError: expected 3 to be 4',
        '',
        'AssertionError: expected 3 to be 4 // Object.is equality',
        ' Test Files  1 failed (1)',
        '',
        ' ❯ src/a.test.ts (2 tests | 1 failed) 5ms',
        '   × adds > two numbers 3ms',
        ' FAIL  src/a.test.ts > adds > two numbers',
        'AssertionError: expected 3 to be 4 // Object.is equality',
        ' Test Files  1 failed (1)',
      ].join('\n'),
    )
  })
  test('is the last lines of a program nobody knows', () => {
    const output = `${'noise\n'.repeat(1000)}\n\nmake: *** [test] Error 2\n\n`
    const summary = summarizeGateOutput(output)
    expect(summary.endsWith('noise\nmake: *** [test] Error 2')).toBe(true)
    expect(summary.split('\n').length).toBe(25)
  })
  test('counts what it does not list', () => {
    const output = Array.from({ length: 14 }, (_, i) => `not ok ${i} - test ${i}`).join('\n')
    expect(summarizeGateOutput(output)).toContain('- test 9\n- and 4 more')
  })
  test('takes a progress line as it was left', () => {
    expect(summarizeGateOutput('1%\r50%\r100%\ndone')).toBe('100%\ndone')
  })
  test('of nothing is nothing', () => {
    expect(summarizeGateOutput('')).toBe('')
  })
  test('never exceeds its length, never throws, has no control characters', () => {
    const line = fc.oneof(
      fc.constantFrom(...Object.values(OUTPUTS).map((known) => known.output)),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (parts) => {
        const summary = summarizeGateOutput(parts.join('\n'))
        expect(summary.length).toBeLessThanOrEqual(1500)
        expect(summary).toBe(stripControl(summary))
      }),
    )
  })
  test('a long line of a hostile gate costs no time', () => {
    const output = `${' '.repeat(60_000)}x\n${'1) '.repeat(20_000)}\n${'a.'.repeat(30_000)}`
    expect(summarizeGateOutput(output).length).toBeLessThanOrEqual(1500)
  }, 2000)
})
