import { expect, test } from 'vitest'
import { partsOf } from './shell-parts.ts'

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
  expect(partsOf(line)).toEqual(parts)
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
  expect(partsOf(line)).toBeNull()
})
