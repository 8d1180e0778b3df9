import { expect, test } from 'vitest'
import type { TrialLayout, MutationKind } from '../../core/proof/trial.ts'
import type { ClassifiedChanges } from '../../protection/classified-changes.ts'
import { openRepo } from '../repo/git.ts'
import { classifyCompletion } from '../classify-completion.ts'
import { aFolder, aRepo } from '../../../test/kit/workspace.ts'
import { openTreeArchive, type TreeArchive } from '../archive/tree-archive.ts'
import { trialFilesFor } from './trial-files.ts'

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
async function aClaim(): Promise<{ archive: TreeArchive; changes: ClassifiedChanges }> {
  const testProject = await aRepo(FILES)
  const repo = await openRepo(testProject.root)
  const archive = openTreeArchive(aFolder().root)
  const base = await archive.take(repo)
  testProject.write({
    'src/add.js': '/* eslint-disable */\nexport const add = (a, b) => a + b\n',
    'test/add.test.js': TEST.replace(', 5)', ', 6)'),
    'test/new.test.js': TEST,
  })
  await testProject.sh('rm', 'test/old.test.js')
  const final = await archive.take(repo)
  const { changes } = classifyCompletion({
    archive,
    base: base.id,
    final: final.id,
    gates: [{ name: 'test', run: 'npm test', cwd: '' }],
    work: [],
    protect: [],
    quarantine: [],
    gitRefsChanged: false,
    allowance: { tests: ['test/new.test.js'], protectedFiles: [] },
  })
  return { archive, changes }
}

function textsOf(
  { archive, changes }: { archive: TreeArchive; changes: ClassifiedChanges },
  trialLayout: Exclude<TrialLayout, { is: 'base' }>,
): Record<string, string> {
  const files = trialFilesFor(archive, changes, trialLayout)
  return Object.fromEntries([...files].map(([path, { hash }]) => [path, archive.bytes(hash).toString()]))
}

test('what a claim changed is sorted, and what may change comes first', async () => {
  const { changes } = await aClaim()
  expect(changes.work.map(({ path }) => path)).toEqual(['src/add.js'])
  expect(changes.protectedFiles.map(({ path, part, kind, allowed }) => [path, part, kind, allowed])).toEqual([
    ['test/new.test.js', 'file', 'added', true],
    ['test/add.test.js', 'file', 'changed', false],
    ['test/old.test.js', 'file', 'deleted', false],
    ['src/add.js', 'suppressions', 'changed', false],
  ])
})

test('with the original tests every change of it is reverted, and the work stays', async () => {
  const claim = await aClaim()
  const texts = textsOf(claim, { is: 'original-tests', broken: 'nothing', keep: [] })
  expect(texts).toEqual({ ...FILES, 'src/add.js': '\nexport const add = (a, b) => a + b\n' })
})

test('a change that is kept is as the claim has it', async () => {
  const claim = await aClaim()
  const texts = textsOf(claim, { is: 'original-tests', broken: 'nothing', keep: [[1, 1]] })
  expect(texts['test/add.test.js']).toContain(', 6)')
  expect(texts['test/old.test.js']).toBe(TEST)
})

test.each<[MutationKind, string, RegExp]>([
  ['source-fails', 'src/add.js', /\+ b\n;throw new Error/],
  ['source-fails-first', 'src/add.js', /^throw new Error/],
  ['source-mutated', 'src/add.js', /void a - b/],
  ['assertions-mutated', 'test/new.test.js', /, 6\)/],
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
