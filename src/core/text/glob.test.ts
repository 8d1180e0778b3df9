import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each<[glob: string, matches: string[], not: string[]]>([
  ['*.ts', ['a.ts', 'src/deep/a.ts'], ['a.tsx', 'a.ts/b']],
  ['src/*.ts', ['src/a.ts', 'src/.ts'], ['a.ts', 'src/deep/a.ts', 'x/src/a.ts']],
  ['./src/*.ts', ['src/a.ts'], ['./src/a.ts']],
  ['/src/a', ['src/a'], ['a']],
  ['src/**/a.ts', ['src/a.ts', 'src/x/a.ts', 'src/x/y/a.ts'], ['src/xa.ts', 'a.ts']],
  ['src/**', ['src/a', 'src/x/y'], ['src', 'other/a']],
  ['**/test/**', ['test/a', 'x/test/a/b'], ['test', 'mytest/a']],
  ['a?c', ['abc', 'x/axc'], ['ac', 'abbc', 'a/c']],
  ['{a,b*}.js', ['a.js', 'bcd.js', 'x/b.js'], ['c.js', 'a,b.js']],
  ['{a', ['{a'], ['a']],
  ['[ab].js', ['a.js', 'b.js'], ['c.js', '[ab].js']],
  ['[!ab].js', ['c.js'], ['a.js']],
  ['[]', ['[]'], ['x']],
  ['app/[user-id]/*.ts', ['app/[user-id]/a.ts'], ['app/u/a.ts', 'app/user-id/a.ts']],
  ['[a-c!-]', ['b', '-'], ['d']],
  ['[!-9]', ['a'], ['9', '-']],
  ['a.b+(c)|d', ['a.b+(c)|d'], ['aXb+(c)|d', 'a.bb(c)|d']],
])('%s', (glob, matches, not) => {
  expect(matches.filter((path) => !matchesGlob(path, glob))).toEqual([])
  expect(not.filter((path) => matchesGlob(path, glob))).toEqual([])
})

test('many patterns are no burden, and known ones stay right', () => {
  for (let n = 0; n < 1_200; n++) expect(matchesGlob(`f${n}`, `f${n}`)).toBe(true)
  expect([matchesGlob('f1', 'f1'), matchesGlob('f2', 'f1')]).toEqual([true, false])
})
