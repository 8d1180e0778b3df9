import { expect, test } from 'vitest'
import { mutateAssertions } from './mutate-assertions.ts'

test.each([
  ['a.test.js', "test('adds', () => assert.equal(add(2, 3), 5))", "test('adds', () => assert.equal(add(2, 3), 6))"],
  ['a.test.js', 'expect(f(5)).toBe(5)', 'expect(f(5)).toBe(6)'],
  ['a.test.ts', 'assert.equal(\n  add(2, 3),\n  5,\n)', 'assert.equal(\n  add(2, 3),\n  6,\n)'],
  ['a.test.js', "expect(name()).toEqual('ann')", "expect(name()).toEqual('~ann')"],
  ['a.test.js', 'assert.equal(isOdd(3), true)', 'assert.equal(isOdd(3), false)'],
  ['test_a.py', 'def test_add():\n    assert add(2, 3) == 5\n', 'def test_add():\n    assert add(2, 3) == 6\n'],
  ['tests/a.rs', 'fn adds() { assert_eq!(add(2, 3), 5); }', 'fn adds() { assert_eq!(add(2, 3), 6); }'],
  ['a_test.go', 'if got := Add(2, 3); got != 5 {', 'if got := Add(2, 3); got != 6 {'],
  ['check.sh', 'test "$(sh add.sh 2 3)" = 5', 'test "$(sh add.sh 2 3)" = 6'],
  ['a.test.js', "assert.equal(add(2, 3), 5, 'adds')", "assert.equal(add(2, 3), 6, 'adds')"],
  ['a.test.js', "assert.equal(nameOf(5), 'five')", "assert.equal(nameOf(5), '~five')"],
  ['test_a.py', "assert add(2, 3) == 5, 'adds'", "assert add(2, 3) == 6, 'adds'"],
  ['a.test.js', 'assert.ok(took < 100)', 'assert.ok(took < -1)'],
  ['a.test.js', "assert.ok(login('ada').ends > Date.now())", "assert.ok(login('ada').ends <= Date.now())"],
  ['a.test.js', 'assert(f(3) === g(4))', 'assert(f(3) !== g(4))'],
  ['a.test.js', 'assert.ok(all(3).every((one) => one > 2))', 'assert.ok(all(3).every((one) => one > 1000000007))'],
  ['a.test.js', 'expect(n > 3).toBe(true)', 'expect(n > 3).toBe(false)'],
  ['check.mjs', 'if (add(2, 3) !== 5) process.exit(1)', 'if (add(2, 3) !== 6) process.exit(1)'],
])('%s: %j', (path, text, mutateLines) => {
  expect(mutateAssertions(path, text)).toBe(mutateLines)
})

test.each([
  ['a.test.js', 'const five = add(2, 3)'],
  ['a.test.js', 'expect(tree).toMatchSnapshot()'],
  ['notes.txt', 'assert 5'],
])('%s: in %j there is nothing to make wrong', (path, text) => {
  expect(mutateAssertions(path, text)).toBe(null)
})
