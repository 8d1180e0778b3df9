import { expect, test } from 'vitest'
import { findSuspiciousChanges } from '../suspicious-changes.ts'
import { removeQuarantinedTests } from './remove-quarantined.ts'

test.each([
  ['a.test.js', "test('slow net', () => {})\ntest('b', f)\n", "test.skip('slow net', () => {})\ntest('b', f)\n"],
  ['tests/test_a.py', 'def test_slow():\n  pass\n', 'def quarantined_test_slow():\n  pass\n'],
  ['tests/a.rs', '#[test]\nfn slow() {}\n', '#[test]\n#[ignore]\nfn slow() {}\n'],
  ['a_test.go', 'func TestSlow(t *testing.T) {}\n', 'func quarantinedTestSlow(t *testing.T) {}\n'],
])('a quarantined test of %s is taken out', (path, text, without) => {
  expect(removeQuarantinedTests(path, text, ['*slow*', '*Slow*'])).toMatchObject({ is: 'without', text: without })
})

test('a file can be quarantined by its path, and nothing else is touched', () => {
  expect(removeQuarantinedTests('test/net.test.js', 'x', ['test/net.test.js'])).toEqual({
    is: 'gone',
    found: ['test/net.test.js'],
  })
  expect(removeQuarantinedTests('test/a.test.js', "test('a', f)", ['other'])).toEqual({ is: 'same' })
})

test('notes tell what a change adds, not what was there', () => {
  expect(findSuspiciousChanges('test/a.test.js', "test('a', f)", "test.skip('a', f)")).toEqual([
    'test/a.test.js: skips a test',
  ])
  expect(findSuspiciousChanges('src/a.js', 'process.exit(1)', 'process.exit(1)')).toEqual([])
  expect(findSuspiciousChanges('src/a.js', '', 'if (process.env.NODE_ENV === "test") f()')).toEqual([
    'src/a.js: checks whether a test is running',
  ])
})
