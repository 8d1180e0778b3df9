import { afterAll, expect, test } from 'vitest'
import { NO_CHANGE } from '../../domain/tree/change.ts'
import { listFolder, removeIfThere } from '../../system/files/files.ts'
import { newAbort } from '../../system/process/errand.ts'
import { findMarked } from '../../system/process/process.ts'
import { aFolder, aRepo, clearGardens, type Garden } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import type { Repo } from '../repo/repository-at.ts'
import { newWarm } from '../repo/warm.ts'
import { changeBetween, closeDiffer, keepDiffer, pathsSince } from './measure.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(clearGardens)

/** What `work` changed, measured as the engine does it. */
async function changeBy(garden: Garden, work: () => void | Promise<unknown>) {
  const repo = await openRepo(garden.root, garden)
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
  keepDiffer(repo, MARK)
  try {
    await work()
  } finally {
    await closeDiffer(repo)
  }
}

test('nothing done is no change', async () => {
  const garden = await aRepo({ a: 'a\n' })
  expect(await changeBy(garden, () => {})).toEqual(NO_CHANGE)
})

test('files added, changed and deleted, with their lines', async () => {
  const garden = await aRepo({ a: '1\n2\n', b: 'b\n', 'dir/c': 'c\n' })
  const change = await changeBy(garden, async () => {
    garden.write({ a: '1\n3\n4\n', new: 'n\n', '.ralph/fix_plan.md': '- [x] a' })
    removeIfThere(garden.path('b'))
    await garden.git('mv', 'dir/c', 'dir/d')
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
  const garden = await aRepo({ a: 'a\n' })
  const change = await changeBy(garden, () => garden.write({ bin: '\0\0' }))
  expect(change).toEqual({
    paths: [{ path: 'bin', kind: 'added' }],
    files: 1,
    added: 0,
    removed: 0,
    commits: [],
  })
})

test('commits, oldest first; committing what was there changes no file', async () => {
  const garden = await aRepo({ a: 'a\n' })
  garden.write({ b: 'b\n' })
  const shas: string[] = []
  const change = await changeBy(garden, async () => {
    shas.push(await garden.commit('first: words'))
    await garden.git('commit', '-q', '--allow-empty', '-m', 'second')
    shas.push((await garden.git('rev-parse', 'HEAD')).trim())
  })
  const commits = [
    { sha: shas[0], subject: 'first: words' },
    { sha: shas[1], subject: 'second' },
  ]
  expect(change).toEqual({ ...NO_CHANGE, commits })
})

test('the first commits of a repository', async () => {
  const garden = await aRepo()
  garden.write({ a: 'a\n' })
  const change = await changeBy(garden, () => garden.commit('first'))
  expect(change.commits.map(({ subject }) => subject)).toEqual(['first'])
})

test('a rewritten history: what the old HEAD did not have', async () => {
  const garden = await aRepo({ a: 'a\n' })
  garden.write({ b: 'b\n' })
  await garden.commit('old words')
  const change = await changeBy(garden, () => garden.git('commit', '-q', '--amend', '-m', 'new words'))
  expect(change.commits.map(({ subject }) => subject)).toEqual(['new words'])
})

test('a HEAD that went back brings no commits', async () => {
  const garden = await aRepo({ a: 'a\n' })
  garden.write({ b: 'b\n' })
  await garden.commit('second')
  const change = await changeBy(garden, () => garden.git('reset', '-q', '--hard', 'HEAD~1'))
  expect(change).toEqual({
    paths: [{ path: 'b', kind: 'deleted' }],
    files: 1,
    added: 0,
    removed: 1,
    commits: [],
  })
})

test('at most 50 paths and 20 commits, with the true number of files', async () => {
  const garden = await aRepo({ a: 'a\n' })
  const change = await changeBy(garden, async () => {
    garden.write(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 'x\n'])))
    await garden.sh('sh', '-c', 'for i in $(seq 25); do git commit -q --allow-empty -m "c$i" || exit 1; done')
  })
  expect([change.paths.length, change.files, change.added]).toEqual([50, 60, 60])
  expect(change.commits.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 20 }, (_, i) => `c${i + 6}`),
  )
})

test('secrets and other files that are not stored', async () => {
  const garden = await aRepo({ a: 'a\n' })
  garden.write({ '.env': '1', 'old.pem': 'x' })
  const change = await changeBy(garden, () => {
    garden.write({ '.env': '2', id_rsa: 'k' })
    removeIfThere(garden.path('old.pem'))
  })
  expect(change.paths).toEqual([
    { path: '.env', kind: 'changed' },
    { path: 'id_rsa', kind: 'added' },
    { path: 'old.pem', kind: 'deleted' },
  ])
})

test('files inside a nested repository, and one that appears', async () => {
  const garden = await aRepo({ a: 'a\n' })
  await garden.git('init', '-q', 'inner')
  garden.write({ 'inner/x': '1\n' })
  const inside = await changeBy(garden, () => garden.write({ 'inner/x': '2\n', 'inner/y': 'y\n' }))
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
  const appears = await changeBy(garden, () => garden.git('init', '-q', 'other'))
  expect(appears.paths).toEqual([{ path: 'other', kind: 'added' }])
})

test('without git, by the lists that were kept', async () => {
  const garden = aFolder({ a: 'a', b: 'b' })
  const change = await changeBy(garden, () => {
    garden.write({ a: 'changed', c: 'c' })
    removeIfThere(garden.path('b'))
  })
  const kinds = change.paths.map(({ path, kind }) => `${kind} ${path}`)
  expect([kinds, change.files]).toEqual([['changed a', 'deleted b', 'added c'], 3])
})

test('without git, only the last lists are kept, and a lost one is named', async () => {
  const garden = aFolder({ a: '0' })
  const repo = await openRepo(garden.root, garden)
  const first = await takeSnapshot(repo, { ref: null })
  for (let i = 1; i <= 20; i++) {
    garden.write({ a: String(i) })
    await takeSnapshot(repo, { ref: null })
  }
  const last = await takeSnapshot(repo, { ref: null })
  await expect(changeBetween(repo, first, last)).rejects.toThrow('is no longer there')
  expect(listFolder(garden.path('.ralph/state/file-lists')).length).toBe(21)
})

test('one git answers many questions; killed it is started again, and it ends with whoever stayed', async () => {
  const garden = await aRepo({ a: '1\n' })
  const repo = await openRepo(garden.root)
  const first = await takeSnapshot(repo, { ref: null })
  garden.write({ a: '1\n2\n' })
  const second = await takeSnapshot(repo, { ref: null })
  const lines = async () => {
    const { added, removed } = await changeBetween(repo, first, second)
    return { added, removed, gits: await findMarked(MARK) }
  }
  await whileStaying(repo, async () => {
    const { gits, ...once } = await lines()
    expect([gits.length, await lines()]).toEqual([1, { ...once, gits }])
    process.kill(gits[0] ?? 0, 'SIGKILL')
    // Whoever asks the dead one is answered by another; the one after has a standing one again.
    expect(await lines()).toMatchObject(once)
    const again = await lines()
    expect([again.added, again.removed, again.gits.length, again.gits.includes(gits[0] ?? 0)]).toEqual([
      1,
      0,
      1,
      false,
    ])
  })
  expect(await findMarked(MARK)).toEqual([])
})

test('what it read of attributes is not believed when they change', async () => {
  const garden = await aRepo({ 'a.txt': '1\n' })
  const repo = await openRepo(garden.root)
  const looks = [await takeSnapshot(repo, { ref: null })]
  for (const files of [
    { 'a.txt': '1\n2\n' },
    { '.gitattributes': '*.txt -diff\n', 'a.txt': '1\n2\n3\n' },
    { 'a.txt': '1\n2\n3\n4\n' },
  ]) {
    garden.write(files)
    looks.push(await takeSnapshot(repo, { ref: null }))
  }
  const added: number[] = []
  await whileStaying(repo, async () => {
    garden.write({ '.gitattributes': '' })
    removeIfThere(garden.path('.gitattributes'))
    const [a, b] = looks
    if (a !== undefined && b !== undefined) added.push((await changeBetween(repo, a, b)).added)
    garden.write({ '.gitattributes': '*.txt -diff\n' })
    for (const [i, to] of looks.entries()) {
      const from = looks[i - 1]
      if (from !== undefined && i > 1) added.push((await changeBetween(repo, from, to)).added)
    }
  })
  // The attributes themselves are a line; of what is no text any more none is counted.
  expect(added).toEqual([1, 1, 0])
})

test('called off, it answers nobody, and the next one is answered', async () => {
  const garden = await aRepo({ a: '1\n' })
  const repo = await openRepo(garden.root)
  const first = await takeSnapshot(repo, { ref: null })
  garden.write({ a: '2\n' })
  const second = await takeSnapshot(repo, { ref: null })
  await whileStaying(repo, async () => {
    const off = newAbort()
    const asked = changeBetween({ ...repo, by: { mark: MARK, signal: off.signal } }, first, second)
    off.abort()
    await expect(asked).rejects.toThrow('aborted')
    expect((await changeBetween(repo, first, second)).files).toBe(1)
  })
})

test('a tree that is gone is told as it always was', async () => {
  const garden = await aRepo({ a: '1\n' })
  const repo = await openRepo(garden.root)
  const now = await takeSnapshot(repo, { ref: null })
  const gone = { tree: 'a'.repeat(40), head: null }
  await whileStaying(repo, async () => {
    await expect(changeBetween(repo, gone, now)).rejects.toMatchObject({ code: 'git-failed' })
  })
})

test('what is in no commit, for whoever knows nothing yet and for whoever looked before', async () => {
  const garden = await aRepo({ a: '1\n' })
  const repo = await openRepo(garden.root)
  garden.write({ a: '2\n', b: 'b\n' })
  const { head, tree } = await takeSnapshot(repo, { ref: null })
  const cold = { ...repo, warm: newWarm() }
  expect(await pathsSince(cold, head ?? '', tree)).toEqual(['a', 'b'])
  await whileStaying(repo, async () => expect(await pathsSince(repo, head ?? '', tree)).toEqual(['a', 'b']))
})
