import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinCommand, splitCommand } from './shell-words.ts'

test.each<[string, string[] | null]>([
  ['claude', ['claude']],
  ['npx @anthropic-ai/claude-code', ['npx', '@anthropic-ai/claude-code']],
  ['  a   b  ', ['a', 'b']],
  ['a "b c" \'d e\'', ['a', 'b c', 'd e']],
  ['a"b"c', ['abc']],
  ['a "" b', ['a', '', 'b']],
  ['a\\ b', ['a b']],
  ['"a\\"b" "c\\d"', ['a"b', 'c\\d']],
  ["'a\\b'", ['a\\b']],
  ['$HOME/x `date`', ['$HOME/x', '`date`']],
  ['', null],
  ['   ', null],
  ['"never closed', null],
  ["'never closed", null],
  ['ends with \\', null],
])('%j has the words %j', (line, words) => {
  expect(splitCommand(line)).toEqual(words)
})

test('words that are joined are split into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      expect(splitCommand(joinCommand(words))).toEqual(words)
    }),
  )
})
