import { afterAll, describe, expect, test } from 'vitest'
import { exists, hashFile, readIfExists, removeIfExists } from '../../system/files/files.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import { restoreTree } from './restore-snapshot.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(removeTestProjects)

async function snap(testProject: TestProject) {
  return takeSnapshot(await openRepo(testProject.root, testProject), { ref: 'refs/ralph/r1/1' })
}

async function restore(testProject: TestProject, tree: string) {
  return restoreTree(await openRepo(testProject.root, testProject), tree)
}

describe('restoring a tree', () => {
  test('brings changed and deleted files back and removes new ones', async () => {
    const testProject = await aRepo({ a: 'a', 'dir/b': 'b', '.gitignore': 'out\n' })
    testProject.write({ a: 'dirty', new: 'n' })
    const before = await snap(testProject)
    testProject.write({ a: 'broken', 'dir/deep/c': 'c', new: 'changed', out: 'ignored', '.ralph/log': 'x' })
    removeIfExists(testProject.path('dir/b'))
    const index = hashFile(testProject.path('.git/index'))
    expect(await restore(testProject, before.tree)).toEqual({
      restored: ['a', 'dir/b', 'new'],
      removed: ['dir/deep/c'],
      kept: [],
    })
    expect((await snap(testProject)).tree).toBe(before.tree)
    expect([readIfExists(testProject.path('a')), readIfExists(testProject.path('new'))]).toEqual(['dirty', 'n'])
    expect([
      exists(testProject.path('out')),
      exists(testProject.path('.ralph/log')),
      exists(testProject.path('dir/deep')),
    ]).toEqual([true, true, false])
    expect(hashFile(testProject.path('.git/index'))).toBe(index)
    expect(exists(testProject.path('.ralph/snapshot.json'))).toBe(false)
  })

  test('nothing to do when nothing changed', async () => {
    const testProject = await aRepo({ a: 'a' })
    const before = await snap(testProject)
    expect(await restore(testProject, before.tree)).toEqual({ restored: [], removed: [], kept: [] })
  })

  test('a folder that was moved and left a link behind', async () => {
    const testProject = await aRepo({ 'src/a': 'a', 'src/b/c': 'c' })
    const before = await snap(testProject)
    await testProject.sh('sh', '-c', 'mv src lib && ln -s lib src && echo changed > lib/a')
    expect(await restore(testProject, before.tree)).toEqual({
      restored: ['src/a', 'src/b/c'],
      removed: ['lib/a', 'lib/b/c', 'src'],
      kept: [],
    })
    expect((await snap(testProject)).tree).toBe(before.tree)
  })

  test('links, modes, files that became folders and folders that became files', async () => {
    const testProject = await aRepo({ run: '#!/bin/sh', file: 'f', 'folder/x': 'x' })
    await testProject.sh('chmod', '+x', 'run')
    await testProject.sh('ln', '-s', 'run', 'link')
    const before = await snap(testProject)
    await testProject.sh(
      'sh',
      '-c',
      'chmod -x run; rm link; echo x > link; rm -r file folder; mkdir file; echo y > file/y; echo z > folder',
    )
    await restore(testProject, before.tree)
    expect((await snap(testProject)).tree).toBe(before.tree)
    expect(await testProject.sh('readlink', 'link')).toBe('run\n')
  })

  test('leaves alone what is not stored, on either side', async () => {
    const testProject = await aRepo({ a: 'a' })
    testProject.write({ '.env': '1', 'now.ignored': 'then' })
    const before = await snap(testProject)
    testProject.write({ '.env': '2', 'new.pem': 'k', 'now.ignored': 'precious', '.gitignore': '*.ignored\n' })
    expect(await restore(testProject, before.tree)).toEqual({
      restored: [],
      removed: ['.gitignore'],
      kept: ['.env', 'new.pem', 'now.ignored'],
    })
    expect([
      readIfExists(testProject.path('.env')),
      readIfExists(testProject.path('new.pem')),
      readIfExists(testProject.path('now.ignored')),
    ]).toEqual(['2', 'k', 'precious'])
  })

  test('goes into nested repositories, and leaves one that is new', async () => {
    const testProject = await aRepo({ a: 'a' })
    await testProject.git('init', '-q', 'inner')
    testProject.write({ 'inner/x': '1' })
    const before = await snap(testProject)
    testProject.write({ 'inner/x': '2', 'inner/y': 'y' })
    await testProject.git('init', '-q', 'other')
    testProject.write({ 'other/z': 'z' })
    expect(await restore(testProject, before.tree)).toEqual({
      restored: ['inner/x'],
      removed: ['inner/y'],
      kept: ['other'],
    })
  })

  test('is refused without git', async () => {
    const testProject = aFolder({ a: 'a' })
    const { tree } = await takeSnapshot(await openRepo(testProject.root, testProject), { ref: null })
    await expect(restore(testProject, tree)).rejects.toMatchObject({ code: 'not-found' })
  })
})
