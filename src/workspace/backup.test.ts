import { afterAll, expect, test } from 'vitest'
import { readIfExists } from '../system/files/files.ts'
import { saveSnapshotAsBackup, listBackups, backUpWorkingTree, rollBack } from './backup.ts'
import { openRepo } from './repo/git.ts'
import { takeSnapshot } from './snapshot/snapshot.ts'
import { aFolder, aRepo, removeTestProjects } from '../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const AT = 1_800_000_000_000

test('a backup holds untracked files, and rolling back brings them back without moving a branch', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  testProject.write({ 'a.txt': 'two\n', 'new.txt': 'untracked\n' })
  const head = await testProject.git('rev-parse', 'HEAD')
  const name = await backUpWorkingTree(repo, AT)
  testProject.write({ 'a.txt': 'three\n', 'later.txt': 'x\n' })
  await testProject.sh('rm', 'new.txt')

  const done = await rollBack(repo, name, { at: AT + 1000 })

  expect(name).toBe('ralph-backup-loop-0-1800000000')
  expect({ restored: done.restored.toSorted(), removed: done.removed }).toEqual({
    restored: ['a.txt', 'new.txt'],
    removed: ['later.txt'],
  })
  expect([
    readIfExists(testProject.path('a.txt')),
    readIfExists(testProject.path('new.txt')),
    readIfExists(testProject.path('later.txt')),
  ]).toEqual(['two\n', 'untracked\n', null])
  expect(await testProject.git('rev-parse', 'HEAD')).toBe(head)
  expect(await testProject.git('stash', 'list')).toBe('')
  expect(await testProject.git('show', `${done.ref}:a.txt`)).toBe('three\n')
})

test('backups, snapshots and branches of the bash tool are listed', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  await testProject.git('branch', 'ralph-backup-loop-3-1700000000')
  const { ref } = await takeSnapshot(repo, { ref: 'refs/ralph/abc/2' })
  await saveSnapshotAsBackup(repo, { iteration: 2, sha: ref ?? '', at: AT })
  const list = await listBackups(repo)
  expect(list.map(({ name, from }) => `${from} ${name}`).toSorted()).toEqual([
    'backup ralph-backup-loop-2-1800000000',
    'branch ralph-backup-loop-3-1700000000',
    'snapshot abc/2',
  ])
})

test('a worker is named only where a run has had several', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  for (const ref of ['abc/w1/2', 'xyz/w1/1', 'xyz/w2/1', 'old/1'])
    await takeSnapshot(repo, { ref: `refs/ralph/${ref}` })
  expect((await listBackups(repo)).map(({ name }) => name).toSorted()).toEqual([
    'abc/2',
    'old/1',
    'xyz/w1/1',
    'xyz/w2/1',
  ])
  testProject.write({ 'a.txt': 'two\n' })
  await rollBack(repo, 'abc/2', { at: AT })
  expect(readIfExists(testProject.path('a.txt'))).toBe('one\n')
})

test('an unknown name is answered with the nearest one, and no git with what to do', async () => {
  const testProject = await aRepo({ 'a.txt': 'one\n' })
  const repo = await openRepo(testProject.root, testProject)
  const name = await backUpWorkingTree(repo, AT)
  await expect(rollBack(repo, name.slice(0, -1), { at: AT })).rejects.toMatchObject({
    code: 'not-found',
    hint: `Did you mean ${name}?`,
  })
  await expect(backUpWorkingTree(await openRepo(aFolder().root), AT)).rejects.toMatchObject({ code: 'not-found' })
})
