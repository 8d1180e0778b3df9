import { expect, test } from 'vitest'
import { parseTestCount } from './test-count.ts'

test.each([
  ['node, spec', 'ℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0', [3, 1, 1]],
  ['node, tap', '1..2\n# tests 2\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0', [2, 0, 0]],
  ['tape', 'TAP version 13\nok 1 a\nnot ok 2 b\n\n1..2\n# tests 2\n# pass  1\n# fail  1', [2, 1, 0]],
  ['jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\n', [4, 1, 2]],
  ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed | 1 skipped (4)\n', [3, 1, 1]],
  ['vitest, nothing', 'No test files found, exiting with code 0\n', [0, 0, 0]],
  [
    'vitest, coloured',
    '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m12 passed\u001b[39m\u001b[22m\u001b[90m (12)\u001b[39m',
    [12, 0, 0],
  ],
  ['mocha', '\n  3 passing (10ms)\n  2 pending\n  1 failing\n', [4, 1, 2]],
  ['mocha, nothing', '\n  0 passing (1ms)\n', [0, 0, 0]],
  ['pytest', '=== 1 failed, 3 passed, 2 skipped, 1 warning in 0.12s ===', [4, 1, 2]],
  ['pytest, quiet', '3 passed in 0.01s', [3, 0, 0]],
  ['pytest, nothing', '=== no tests ran in 0.01s ===', [0, 0, 0]],
  ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)', [4, 2, 1]],
  ['unittest, well', 'Ran 3 tests in 0.001s\n\nOK', [3, 0, 0]],
  [
    'go, verbose',
    '=== RUN TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.01s)\nFAIL',
    [2, 1, 1],
  ],
  ['go', 'ok  \texample.com/a\t0.003s\nok  \texample.com/b\t(cached)\n?   \texample.com/c\t[no test files]', [2, 0, 0]],
  ['go, nothing to run', 'ok  \texample.com/a\t0.003s [no tests to run]', [0, 0, 0]],
  ['go, no tests at all', '?   \texample.com/c\t[no test files]', [0, 0, 0]],
  [
    'cargo',
    'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
    [5, 1, 1],
  ],
  ['nextest', '     Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 2 skipped', [5, 1, 2]],
  [
    'maven',
    '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s\n[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n',
    [2, 1, 1],
  ],
  ['gradle', '5 tests completed, 1 failed, 1 skipped', [4, 1, 1]],
  ['ctest', '100% tests passed, 0 tests failed out of 7', [7, 0, 0]],
  ['rspec', '5 examples, 1 failure, 1 pending', [4, 1, 1]],
  ['minitest', '5 runs, 10 assertions, 1 failures, 1 errors, 1 skips', [4, 2, 1]],
  ['phpunit', 'OK (5 tests, 10 assertions)', [5, 0, 0]],
  ['phpunit, red', 'Tests: 5, Assertions: 10, Failures: 1, Skipped: 1.', [4, 1, 1]],
  ['dotnet', 'Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6', [5, 0, 1]],
  ['exunit', '3 doctests, 5 tests, 1 failure, 1 skipped', [4, 1, 1]],
  ['deno', 'ok | 5 passed | 0 failed | 1 ignored (10ms)', [5, 0, 1]],
  ['bun', ' 5 pass\n 1 fail\n 9 expect() calls', [6, 1, 0]],
  ['jasmine', '3 specs, 1 failure, 1 pending', [2, 1, 1]],
  ['xctest', 'Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds', [5, 1, 0]],
  ['playwright', '  1 failed (2.0s)\n  3 passed (2.1s)', [4, 1, 0]],
  ['a plain line', 'false-done: 3 passed, 0 failed, 1 skipped', [3, 0, 1]],
  ['other TAP', '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP', [2, 1, 1]],
  ['two runners', '3 passed in 0.01s\nTests:       2 passed, 2 total', [5, 0, 0]],
] as const)('%s', (_, output, [ran, failed, skipped]) => {
  expect(parseTestCount(output)).toEqual({ ran, failed, skipped })
})

test.each([
  ['a build', 'Compiling a v0.1.0\nFinished in 1.2s'],
  ['a linter', '✖ 2 problems (2 errors, 0 warnings)'],
  ['prose', 'I passed 3 parameters and it failed 2 times'],
  ['nothing', ''],
])('%s tells nothing', (_, output) => {
  expect(parseTestCount(output)).toBe(null)
})
