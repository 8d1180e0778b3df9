import { afterAll, expect, test } from 'vitest'
import { NO_CHANGE } from '../../core/tree/change.ts'
import { listFolder, removeIfExists } from '../../system/files/files.ts'
import { newAbortController } from '../../system/process/git-context.ts'
import { findMarkedPids } from '../../system/process/process.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import type { Repo } from '../repo/find-repo.ts'
import { createRepoCache } from '../repo/repo-cache.ts'
import { changeBetween, closeTreeDiffer, openTreeDiffer, changedPathsSince } from './compare-snapshots.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(removeTestProjects)

/** What `work` changed, measured as the engine does it. */
async function changeBy(testProject: TestProject, work: () => void | Promise<unknown>) {
  const repo = await openRepo(testProject.root, testProject)
  const before = await takeSnapshot(repo, { ref: null })
  await work()
  const after = await takeSnapshot(repo, { ref: null })
  const change = await changeBetween(repo, before, after)
  // Whoever stays gets the same answer.
  await whileStaying(repo, async () => expect(await changeBetween(repo, before, after)).toEqual(change))
  return change
}

const MARK = `measure.${process.pid}`

async function whileStaying(repo: Repo, work: () => Promise<void>): Promise<void> {
  openTreeDiffer(repo, MARK)
  try {
    await work()
  } finally {
    await closeTreeDiffer(repo)
  }
}

test('nothing done is no change', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  expect(await changeBy(testProject, () => {})).toEqual(NO_CHANGE)
})

test('files added, changed and deleted, with their lines', async () => {
  const testProject = await aRepo({ a: '1\n2\n', b: 'b\n', 'dir/c': 'c\n' })
  const change = await changeBy(testProject, async () => {
    testProject.write({ a: '1\n3\n4\n', new: 'n\n', '.ralph/fix_plan.md': '- [x] a' })
    removeIfExists(testProject.path('b'))
    await testProject.git('mv', 'dir/c', 'dir/d')
  })
  expect(change).toEqual({
    paths: [
      { path: 'a', kind: 'changed' },
      { path: 'b', kind: 'deleted' },
      { path: 'dir/c', kind: 'deleted' },
      { path: 'dir/d', kind: 'added' },
      { path: 'new', kind: 'added' },
    ],
    files: 5,
    added: 4,
    removed: 3,
    commits: [],
  })
})

test('a file that is not text has no lines', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  const change = await changeBy(testProject, () => testProject.write({ bin: '\0\0' }))
  expect(change).toEqual({
    paths: [{ path: 'bin', kind: 'added' }],
    files: 1,
    added: 0,
    removed: 0,
    commits: [],
  })
})

test('commits, oldest first; committing what was there changes no file', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  testProject.write({ b: 'b\n' })
  const shas: string[] = []
  const change = await changeBy(testProject, async () => {
    shas.push(await testProject.commit('first: words'))
    await testProject.git('commit', '-q', '--allow-empty', '-m', 'second')
    shas.push((await testProject.git('rev-parse', 'HEAD')).trim())
  })
  const commits = [
    { sha: shas[0], subject: 'first: words' },
    { sha: shas[1], subject: 'second' },
  ]
  expect(change).toEqual({ ...NO_CHANGE, commits })
})

test('the first commits of a repository', async () => {
  const testProject = await aRepo()
  testProject.write({ a: 'a\n' })
  const change = await changeBy(testProject, () => testProject.commit('first'))
  expect(change.commits.map(({ subject }) => subject)).toEqual(['first'])
})

test('a rewritten history: what the old HEAD did not have', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  testProject.write({ b: 'b\n' })
  await testProject.commit('old words')
  const change = await changeBy(testProject, () => testProject.git('commit', '-q', '--amend', '-m', 'new words'))
  expect(change.commits.map(({ subject }) => subject)).toEqual(['new words'])
})

test('a HEAD that went back brings no commits', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  testProject.write({ b: 'b\n' })
  await testProject.commit('second')
  const change = await changeBy(testProject, () => testProject.git('reset', '-q', '--hard', 'HEAD~1'))
  expect(change).toEqual({
    paths: [{ path: 'b', kind: 'deleted' }],
    files: 1,
    added: 0,
    removed: 1,
    commits: [],
  })
})

test('at most 50 paths and 20 commits, with the true number of files', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  const change = await changeBy(testProject, async () => {
    testProject.write(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 'x\n'])))
    await testProject.sh('sh', '-c', 'for i in $(seq 25); do git commit -q --allow-empty -m "c$i" || exit 1; done')
  })
  expect([change.paths.length, change.files, change.added]).toEqual([50, 60, 60])
  expect(change.commits.map(({ subject }) => subject)).toEqual(Array.from({ length: 20 }, (_, i) => `c${i + 6}`))
})

test('secrets and other files that are not stored', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  testProject.write({ '.env': '1', 'old.pem': 'x' })
  const change = await changeBy(testProject, () => {
    testProject.write({ '.env': '2', id_rsa: 'k' })
    removeIfExists(testProject.path('old.pem'))
  })
  expect(change.paths).toEqual([
    { path: '.env', kind: 'changed' },
    { path: 'id_rsa', kind: 'added' },
    { path: 'old.pem', kind: 'deleted' },
  ])
})

test('files inside a nested repository, and one that appears', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  await testProject.git('init', '-q', 'inner')
  testProject.write({ 'inner/x': '1\n' })
  const inside = await changeBy(testProject, () => testProject.write({ 'inner/x': '2\n', 'inner/y': 'y\n' }))
  expect(inside).toEqual({
    paths: [
      { path: 'inner/x', kind: 'changed' },
      { path: 'inner/y', kind: 'added' },
    ],
    files: 2,
    added: 2,
    removed: 1,
    commits: [],
  })
  const appears = await changeBy(testProject, () => testProject.git('init', '-q', 'other'))
  expect(appears.paths).toEqual([{ path: 'other', kind: 'added' }])
})

test('without git, by the lists that were kept', async () => {
  const testProject = aFolder({ a: 'a', b: 'b' })
  const change = await changeBy(testProject, () => {
    testProject.write({ a: 'changed', c: 'c' })
    removeIfExists(testProject.path('b'))
  })
  const kinds = change.paths.map(({ path, kind }) => `${kind} ${path}`)
  expect([kinds, change.files]).toEqual([['changed a', 'deleted b', 'added c'], 3])
})

test('without git, only the last lists are kept, and a lost one is named', async () => {
  const testProject = aFolder({ a: '0' })
  const repo = await openRepo(testProject.root, testProject)
  const first = await takeSnapshot(repo, { ref: null })
  for (let i = 1; i <= 20; i++) {
    testProject.write({ a: String(i) })
    await takeSnapshot(repo, { ref: null })
  }
  const last = await takeSnapshot(repo, { ref: null })
  await expect(changeBetween(repo, first, last)).rejects.toThrow('no longer exists')
  expect(listFolder(testProject.path('.ralph/state/file-lists')).length).toBe(21)
})

test('one git answers many questions; killed it is started again, and it ends with whoever stayed', async () => {
  const testProject = await aRepo({ a: '1\n' })
  const repo = await openRepo(testProject.root)
  const first = await takeSnapshot(repo, { ref: null })
  testProject.write({ a: '1\n2\n' })
  const second = await takeSnapshot(repo, { ref: null })
  const lines = async () => {
    const { added, removed } = await changeBetween(repo, first, second)
    return { added, removed, gits: await findMarkedPids(MARK) }
  }
  await whileStaying(repo, async () => {
    const { gits, ...once } = await lines()
    expect([gits.length, await lines()]).toEqual([1, { ...once, gits }])
    process.kill(gits[0] ?? 0, 'SIGKILL')
    // Whoever asks the dead one is answered by another; the one after has a standing one again.
    expect(await lines()).toMatchObject(once)
    const again = await lines()
    expect([again.added, again.removed, again.gits.length, again.gits.includes(gits[0] ?? 0)]).toEqual([1, 0, 1, false])
  })
  expect(await findMarkedPids(MARK)).toEqual([])
})

test('what it read of attributes is not believed when they change', async () => {
  const testProject = await aRepo({ 'a.txt': '1\n' })
  const repo = await openRepo(testProject.root)
  const looks = [await takeSnapshot(repo, { ref: null })]
  for (const files of [
    { 'a.txt': '1\n2\n' },
    { '.gitattributes': '*.txt -diff\n', 'a.txt': '1\n2\n3\n' },
    { 'a.txt': '1\n2\n3\n4\n' },
  ]) {
    testProject.write(files)
    looks.push(await takeSnapshot(repo, { ref: null }))
  }
  const added: number[] = []
  await whileStaying(repo, async () => {
    testProject.write({ '.gitattributes': '' })
    removeIfExists(testProject.path('.gitattributes'))
    const [a, b] = looks
    if (a !== undefined && b !== undefined) added.push((await changeBetween(repo, a, b)).added)
    testProject.write({ '.gitattributes': '*.txt -diff\n' })
    for (const [i, to] of looks.entries()) {
      const from = looks[i - 1]
      if (from !== undefined && i > 1) added.push((await changeBetween(repo, from, to)).added)
    }
  })
  // The attributes themselves are a line; of what is no text any more none is counted.
  expect(added).toEqual([1, 1, 0])
})

test('called off, it answers nobody, and the next one is answered', async () => {
  const testProject = await aRepo({ a: '1\n' })
  const repo = await openRepo(testProject.root)
  const first = await takeSnapshot(repo, { ref: null })
  testProject.write({ a: '2\n' })
  const second = await takeSnapshot(repo, { ref: null })
  await whileStaying(repo, async () => {
    const off = newAbortController()
    const asked = changeBetween({ ...repo, by: { mark: MARK, signal: off.signal } }, first, second)
    off.abort()
    await expect(asked).rejects.toThrow('aborted')
    expect((await changeBetween(repo, first, second)).files).toBe(1)
  })
})

test('a tree that is gone is told as it always was', async () => {
  const testProject = await aRepo({ a: '1\n' })
  const repo = await openRepo(testProject.root)
  const now = await takeSnapshot(repo, { ref: null })
  const gone = { tree: 'a'.repeat(40), head: null }
  await whileStaying(repo, async () => {
    await expect(changeBetween(repo, gone, now)).rejects.toMatchObject({ code: 'git-failed' })
  })
})

test('what is in no commit, for whoever knows nothing yet and for whoever looked before', async () => {
  const testProject = await aRepo({ a: '1\n' })
  const repo = await openRepo(testProject.root)
  testProject.write({ a: '2\n', b: 'b\n' })
  const { head, tree } = await takeSnapshot(repo, { ref: null })
  const cold = { ...repo, cache: createRepoCache() }
  expect(await changedPathsSince(cold, head ?? '', tree)).toEqual(['a', 'b'])
  await whileStaying(repo, async () => expect(await changedPathsSince(repo, head ?? '', tree)).toEqual(['a', 'b']))
})
