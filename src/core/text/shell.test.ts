import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinCommand, commandsInLine, readPlainWord, splitCommand } from './shell.ts'

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

test.each<[line: string, parts: string[]]>([
  ['npm test', ['npm test']],
  ['cd x && npm test || exit 1; ls', ['cd x', 'npm test', 'exit 1', 'ls']],
  ['npm test 2>&1 | tail -20', ['npm test', 'tail -20']],
  ['make >/dev/null 2>/dev/null && echo ok', ['make', 'echo ok']],
  ['cat < /dev/null', ['cat']],
  ['sleep 1 &', ['sleep 1']],
  ['git add -A\ngit commit -m x', ['git add -A', 'git commit -m x']],
  // Quoted, these are plain words.
  [`git commit -m 'a && b; $(c) > d'`, [`git commit -m 'a && b; $(c) > d'`]],
  ['git commit -m "a && b | c"', ['git commit -m "a && b | c"']],
  [String.raw`echo a\;b`, [String.raw`echo a\;b`]],
  ['', []],
])('%j is %j', (line, parts) => {
  expect(commandsInLine(line)).toEqual(parts)
})

test.each([
  'echo $(rm -rf x)',
  'echo "$(rm -rf x)"',
  'echo `rm x`',
  'echo "`rm x`"',
  'echo hi > file',
  'cat x >> ~/.bashrc',
  'echo hi >/dev/null/../x',
  'echo hi > /dev/nullx',
  'diff <(a) <(b)',
  'cat <<EOF\nx\nEOF',
  '(rm x)',
  '{ rm x; }',
  `echo 'open`,
  'f() { rm x; }',
])('nobody can tell by its commands what %j does', (line) => {
  expect(commandsInLine(line)).toBeNull()
})

test.each<[text: string, word: string | null, rest: string]>([
  ['END;', 'END', ';'],
  [`"a b"'c'\\ d e`, 'a bc d', ' e'],
  ['"$here/x.sh" y', '$here/x.sh', ' y'],
  ['', '', ''],
  ['"open', null, ''],
])('the word at the start of %j is %j', (text, word, rest) => {
  const scan = { text, at: 0 }
  expect([readPlainWord(scan), text.slice(scan.at)]).toEqual([word, rest])
})
