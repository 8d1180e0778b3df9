import { afterAll, expect, test } from 'vitest'
import { openRepo } from './git.ts'
import { commitStats, patchBetween } from './patch.ts'
import { takeSnapshot } from '../snapshot/snapshot.ts'
import { aFolder, aRepo, removeTestProjects } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

test('what lies between two snapshots, committed or not', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  const from = await takeSnapshot(repo, { ref: null })
  testProject.write({ 'a.txt': 'one\ntwo\n', '.env': 'KEY=1\n' })
  const to = await takeSnapshot(repo, { ref: null })
  expect(await patchBetween(repo, { from: from.tree, to: to.tree }, 10_000)).toEqual({
    stat: ' a.txt | 1 +\n 1 file changed, 1 insertion(+)',
    patch:
      'diff --git a/a.txt b/a.txt\nindex 5626abf..814f4a4 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n',
    cut: false,
  })
})

test('a patch that is too long is cut, and says so', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  const from = await takeSnapshot(repo, { ref: null })
  testProject.write({ 'a.txt': `${'x'.repeat(500)}\n` })
  const to = await takeSnapshot(repo, { ref: null })
  const patch = await patchBetween(repo, { from: from.tree, to: to.tree }, 200)
  expect([patch?.patch.length, patch?.cut]).toEqual([200, true])
})

test('trees that are gone, or are no trees of git, give nothing', async () => {
  const repo = await openRepo((await aRepo({ a: 'a\n' })).root)
  const { tree } = await takeSnapshot(repo, { ref: null })
  expect(await patchBetween(repo, { from: '0'.repeat(40), to: tree }, 100)).toBeNull()
  expect(await patchBetween(repo, { from: '--output=x', to: tree }, 100)).toBeNull()
  const plain = await openRepo(aFolder({ a: 'a\n' }).root)
  expect(await patchBetween(plain, { from: tree, to: tree }, 100)).toBeNull()
})

test('how large each commit is, with the first of all and without those that are gone', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const first = (await testProject.git('rev-parse', 'HEAD')).trim()
  testProject.write({ 'a.txt': 'two\n', 'b.txt': '1\n2\n3\n' })
  const second = await testProject.commit('more')
  const repo = await openRepo(testProject.root, testProject)
  expect(await commitStats(repo, [first, second])).toEqual({
    [first]: { files: 1, added: 1, removed: 0 },
    [second]: { files: 2, added: 4, removed: 1 },
  })
  expect(await commitStats(repo, ['0'.repeat(40), '-x'])).toEqual({})
  expect(await commitStats(repo, [])).toEqual({})
})
