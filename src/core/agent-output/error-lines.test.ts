import { describe, expect, test } from 'vitest'
import { findErrorLines, mergeErrorLines } from './error-lines.ts'
import { isStuck } from './is-stuck.ts'

describe('lines that are errors', () => {
  test.each([
    'Error: no such file',
    'ERROR: build failed',
    'error: expected ;',
    'TypeError: x is not a function',
    'error[E0382]: borrow of moved value',
    'error TS2322: not assignable',
    'fatal: not a git repository',
    'npm ERR! code ELIFECYCLE',
    '[12:01]: error in module',
    'Link: error loading',
    'Error occurred while reading',
    'make failed with error 2',
    'java.lang.NullPointerException at Main',
    'Unhandled exception in thread',
    'Fatal problem',
    'Traceback (most recent call last)',
  ])('%s', (line) => {
    expect(findErrorLines(`before\n${line}\nafter`)).toEqual([line])
  })
})

describe('lines that are none', () => {
  test.each([
    '"is_error": false',
    '{"type":"result","is_error":false,"error":null,"errors":[],"error_count":0,"result":"fine"}',
    'No errors were found.',
    'I added error handling and an exception to the rule.',
    'Error handling: done',
    'The fatality rate',
    '0 errors, 0 warnings',
  ])('%s', (line) => {
    expect(findErrorLines(line)).toEqual([])
  })
})

test('a field about errors does not hide the error in the same line', () => {
  expect(findErrorLines('{"is_error": false, "result": "[build]: error in a.c"}')).toEqual([
    '{ "result": "[build]: error in a.c"}',
  ])
})

test('error lines are distinct, plain, short and at most ten', () => {
  expect(findErrorLines('- Error: a\n> Error: a\nError: a  \nError: \u001b[31mb')).toEqual(['Error: a', 'Error: b'])
  expect(findErrorLines(`Error: ${'x'.repeat(300)}`)).toEqual([`Error: ${'x'.repeat(152)}…`])
  const many = Array.from({ length: 30 }, (_each, index) => `Error: ${index}`)
  expect(findErrorLines(many.join('\n'))).toEqual(many.slice(0, 10))
  expect(mergeErrorLines(many.slice(0, 8), many.slice(6, 30))).toEqual(many.slice(0, 10))
})

describe('stuck', () => {
  test.each([
    ['the same error in every recent reply', ['a'], [['a', 'x'], ['a'], ['b', 'a']], true],
    ['all lines must stand in each', ['a', 'b'], [['a', 'b'], ['a']], false],
    ['a new error is not stuck', ['a', 'new'], [['a'], ['a']], false],
    ['no errors now', [], [['a'], ['a']], false],
    ['no replies before', ['a'], [], false],
    ['one recent reply without errors', ['a'], [['a'], []], false],
    ['a part of a line is not the line', ['Error: a'], [['Error: a and b']], false],
    [
      'times and ids do not matter',
      ['12:01:05 Error: x after 5 ms at 0x7f'],
      [['13:44:59 Error: x after 81 ms at 0xab']],
      true,
    ],
    ['the place of an error matters', ['a.ts:3 Error: x'], [['a.ts:9 Error: x']], false],
  ])('%s', (_what, current, recent, expected) => {
    expect(isStuck(current, recent)).toBe(expected)
  })
})
