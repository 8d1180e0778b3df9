import { expect, test } from 'vitest'
import type { Arrangement, Broken } from '../../domain/proof/trial.ts'
import type { Changes } from '../../judge/changes.ts'
import { openRepo } from '../repo/git.ts'
import { sortCompletion } from '../sort-completion.ts'
import { aFolder, aRepo } from '../../../test/kit/workspace.ts'
import { openWitness, type Witness } from '../witness/witness.ts'
import { arrange } from './arrange.ts'

const SOURCE = 'export const add = (a, b) => a - b\n'
const TEST =
  "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\ntest('adds', () => assert.equal(add(2, 3), 5))\n"
const FILES = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/add.js': SOURCE,
  'test/add.test.js': TEST,
  'test/old.test.js': TEST,
}

/** A claim that did the work, bent a test, deleted another, added one of its own and hushed a linter. */
async function aClaim(): Promise<{ witness: Witness; changes: Changes }> {
  const garden = await aRepo(FILES)
  const repo = await openRepo(garden.root)
  const witness = openWitness(aFolder().root)
  const base = await witness.take(repo)
  garden.write({
    'src/add.js': '/* eslint-disable */\nexport const add = (a, b) => a + b\n',
    'test/add.test.js': TEST.replace(', 5)', ', 6)'),
    'test/new.test.js': TEST,
  })
  await garden.sh('rm', 'test/old.test.js')
  const final = await witness.take(repo)
  const { changes } = sortCompletion({
    witness,
    base: base.id,
    final: final.id,
    gates: [{ name: 'test', run: 'npm test', cwd: '' }],
    work: [],
    protect: [],
    quarantine: [],
    gitMoved: false,
    leave: { tests: ['test/new.test.js'], judge: [] },
  })
  return { witness, changes }
}

function textsOf(
  { witness, changes }: { witness: Witness; changes: Changes },
  arrangement: Exclude<Arrangement, { is: 'base' }>,
): Record<string, string> {
  const files = arrange(witness, changes, arrangement)
  return Object.fromEntries([...files].map(([path, { hash }]) => [path, witness.bytes(hash).toString()]))
}

test('what a claim changed is sorted, and what may change comes first', async () => {
  const { changes } = await aClaim()
  expect(changes.work.map(({ path }) => path)).toEqual(['src/add.js'])
  expect(changes.judge.map(({ path, part, kind, allowed }) => [path, part, kind, allowed])).toEqual([
    ['test/new.test.js', 'file', 'added', true],
    ['test/add.test.js', 'file', 'changed', false],
    ['test/old.test.js', 'file', 'deleted', false],
    ['src/add.js', 'suppressions', 'changed', false],
  ])
})

test('with the judge as it was every change of it is put back, and the work stays', async () => {
  const claim = await aClaim()
  const texts = textsOf(claim, { is: 'old-judge', broken: 'nothing', keep: [] })
  expect(texts).toEqual({ ...FILES, 'src/add.js': '\nexport const add = (a, b) => a + b\n' })
})

test('a change that is kept is as the claim has it', async () => {
  const claim = await aClaim()
  const texts = textsOf(claim, { is: 'old-judge', broken: 'nothing', keep: [[1, 1]] })
  expect(texts['test/add.test.js']).toContain(', 6)')
  expect(texts['test/old.test.js']).toBe(TEST)
})

test.each<[Broken, string, RegExp]>([
  ['work-fails', 'src/add.js', /\+ b\n;throw new Error/],
  ['work-fails-first', 'src/add.js', /^throw new Error/],
  ['work-wrong', 'src/add.js', /void a - b/],
  ['tests-wrong', 'test/new.test.js', /, 6\)/],
  ['tests-fail', 'test/new.test.js', /^broken on purpose/],
])('%s: %s', async (broken, path, expected) => {
  const claim = await aClaim()
  const whole = textsOf(claim, { is: 'final', broken: 'nothing', ignored: false })
  const texts = textsOf(claim, { is: 'final', broken, ignored: false })
  expect(texts[path]).toMatch(expected)
  // The other side of the claim is untouched.
  const other = path.startsWith('src') ? 'test/new.test.js' : 'src/add.js'
  expect(texts[other]).toBe(whole[other])
})
