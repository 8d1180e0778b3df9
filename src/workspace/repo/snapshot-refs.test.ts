import { afterAll, expect, test } from 'vitest'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from './git.ts'
import type { Repo } from './find-repo.ts'
import { exists } from '../../system/files/files.ts'
import { removeRefLocks, deleteSnapshots, listSnapshots, pruneSnapshots } from './snapshot-refs.ts'
import { takeSnapshot } from '../snapshot/snapshot.ts'

afterAll(removeTestProjects)

async function withSnapshots(testProject: TestProject, refs: string[]): Promise<Repo> {
  const repo = await openRepo(testProject.root, testProject)
  for (const [i, ref] of refs.entries()) {
    testProject.write({ a: String(i) })
    await takeSnapshot(repo, { ref: `refs/ralph/${ref}` })
  }
  return repo
}

async function names(repo: Repo, run?: string): Promise<string[]> {
  return (await listSnapshots(repo, run)).map((kept) => `${kept.run}/${kept.name}`)
}

test('snapshots are listed by run, in the order of their iterations', async () => {
  const repo = await withSnapshots(await aRepo({ a: 'a' }), ['r1/10', 'r1/2', 'r2/1', 'r1/1'])
  expect(await names(repo)).toEqual(['r1/1', 'r1/2', 'r1/10', 'r2/1'])
  expect(await names(repo, 'r1')).toEqual(['r1/1', 'r1/2', 'r1/10'])
})

test('each tells its tree', async () => {
  const testProject = await aRepo({ a: 'a' })
  const repo = await withSnapshots(testProject, ['r1/1'])
  const { tree } = await takeSnapshot(repo, { ref: null })
  const [kept] = await listSnapshots(repo)
  const sha = (await testProject.git('rev-parse', 'refs/ralph/r1/1')).trim()
  const at = Number(await testProject.git('log', '-1', '--format=%ct', sha)) * 1000
  expect(kept).toEqual({ ref: 'refs/ralph/r1/1', run: 'r1', name: '1', sha, tree, at })
})

test('pruning keeps the first and the newest of one run', async () => {
  const repo = await withSnapshots(await aRepo({ a: 'a' }), ['r1/1', 'r1/2', 'r1/3', 'r1/4', 'r1/5', 'r2/1', 'r2/2'])
  expect(await pruneSnapshots(repo, { run: 'r1', keep: 3 })).toBe(2)
  expect(await names(repo)).toEqual(['r1/1', 'r1/4', 'r1/5', 'r2/1', 'r2/2'])
  expect(await pruneSnapshots(repo, { run: 'r1', keep: 3 })).toBe(0)
})

test('a run is forgotten, the others are not, and no branch is touched', async () => {
  const testProject = await aRepo({ a: 'a' })
  const repo = await withSnapshots(testProject, ['r1/1', 'r1/2', 'r10/1'])
  expect(await deleteSnapshots(repo, 'r1')).toBe(2)
  expect(await names(repo)).toEqual(['r10/1'])
  expect(await testProject.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main\n')
})

test('what nested repositories keep goes with it', async () => {
  const testProject = await aRepo({ a: 'a' })
  await testProject.git('init', '-q', 'inner')
  testProject.write({ 'inner/x': 'x' })
  const repo = await withSnapshots(testProject, ['r1/1', 'r2/1'])
  const inner = await openRepo(testProject.path('inner'))
  expect(await names(inner)).toEqual(['r1/1', 'r2/1'])
  await deleteSnapshots(repo, 'r1')
  expect(await names(inner)).toEqual(['r2/1'])
})

test('without git there are none', async () => {
  const repo = await openRepo(aFolder().root)
  expect([await names(repo), await deleteSnapshots(repo, 'r1')]).toEqual([[], 0])
})

test('pruning keeps the first and the newest of each worker', async () => {
  const testProject = await aRepo({ a: 'a' })
  const repo = await withSnapshots(testProject, ['r1/w1/4', 'r1/w1/2', 'r1/w1/11', 'r1/w2/1', 'r1/w2/2'])
  expect(await names(repo)).toEqual(['r1/w1/2', 'r1/w1/4', 'r1/w1/11', 'r1/w2/1', 'r1/w2/2'])
  expect(await pruneSnapshots(repo, { run: 'r1', keep: 2 })).toBe(1)
  expect(await names(repo)).toEqual(['r1/w1/2', 'r1/w1/11', 'r1/w2/1', 'r1/w2/2'])
  expect(await deleteSnapshots(repo, 'r1')).toBe(4)
})

test('locks that a killed git left on refs of the run are removed, of whichever worker', async () => {
  const testProject = await aRepo({ a: 'a' })
  const repo = await withSnapshots(testProject, ['r1/1', 'r1/w1/2', 'r2/w1/1'])
  const locks = ['r1/3.lock', 'r1/w1/3.lock', 'r2/w1/2.lock'].map((name) => `.git/refs/ralph/${name}`)
  testProject.write(Object.fromEntries(locks.map((path) => [path, ''])))
  removeRefLocks(repo, 'r1')
  expect(locks.filter((path) => exists(testProject.path(path)))).toEqual(['.git/refs/ralph/r2/w1/2.lock'])
  expect(await names(repo)).toEqual(['r1/1', 'r1/w1/2', 'r2/w1/1'])
})
