import { expect, test } from 'vitest'
import { chooseTestsToMutate } from './tests-to-mutate.ts'
import type { FileTree } from './file-tree.ts'

const CHECK = 'assert.equal(one(), 1)\n'
const FILES: Record<string, string> = {
  'src/one.mjs': 'export const one = () => 1\n',
  'test/one.test.mjs': CHECK,
  'test/two.test.mjs': CHECK,
  'test/data.mjs': 'export const one = 1\n',
}

function bent(script: string): string[] {
  const files: Record<string, string> = { ...FILES, 'scripts/test.sh': script }
  const tree: FileTree = { has: (path) => path in files, text: (path) => files[path] ?? null }
  return chooseTestsToMutate(
    { gates: [{ run: 'sh scripts/test.sh' }], base: tree, paths: Object.keys(files) },
    { final: tree, added: [], work: [], isStarted: (path) => path === 'scripts/test.sh' },
  )
}

test.each([
  ['for file in test/*.test.mjs; do node "$file"; done', ['test/one.test.mjs', 'test/two.test.mjs']],
  ['cd test && for file in ./one*.mjs; do node "$file"; done', []],
  ['node test/two.test.mjs', ['test/two.test.mjs']],
  ['node --test', ['test/one.test.mjs', 'test/two.test.mjs']],
  ['for file in *; do :; done', []],
  ['[ "$(node src/one.mjs)" = 1 ]', ['scripts/test.sh']],
])('%s', (script, tests) => {
  expect(bent(script)).toEqual(tests)
})
