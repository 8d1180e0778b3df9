import { afterAll, describe, expect, test } from 'vitest'
import { exists, hashFile, readIfThere, removeIfThere } from '../../system/files/files.ts'
import { aFolder, aRepo, clearGardens, type Garden } from '../../../test/kit/workspace.ts'
import { openRepo } from '../repo/git.ts'
import { restoreTree } from './restore.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(clearGardens)

async function snap(garden: Garden) {
  return takeSnapshot(await openRepo(garden.root, garden), { ref: 'refs/ralph/r1/1' })
}

async function restore(garden: Garden, tree: string) {
  return restoreTree(await openRepo(garden.root, garden), tree)
}

describe('restoring a tree', () => {
  test('brings changed and deleted files back and removes new ones', async () => {
    const garden = await aRepo({ a: 'a', 'dir/b': 'b', '.gitignore': 'out\n' })
    garden.write({ a: 'dirty', new: 'n' })
    const before = await snap(garden)
    garden.write({ a: 'broken', 'dir/deep/c': 'c', new: 'changed', out: 'ignored', '.ralph/log': 'x' })
    removeIfThere(garden.path('dir/b'))
    const index = hashFile(garden.path('.git/index'))
    expect(await restore(garden, before.tree)).toEqual({
      restored: ['a', 'dir/b', 'new'],
      removed: ['dir/deep/c'],
      kept: [],
    })
    expect((await snap(garden)).tree).toBe(before.tree)
    expect([readIfThere(garden.path('a')), readIfThere(garden.path('new'))]).toEqual(['dirty', 'n'])
    expect([
      exists(garden.path('out')),
      exists(garden.path('.ralph/log')),
      exists(garden.path('dir/deep')),
    ]).toEqual([true, true, false])
    expect(hashFile(garden.path('.git/index'))).toBe(index)
    expect(exists(garden.path('.ralph/snapshot.json'))).toBe(false)
  })

  test('nothing to do when nothing changed', async () => {
    const garden = await aRepo({ a: 'a' })
    const before = await snap(garden)
    expect(await restore(garden, before.tree)).toEqual({ restored: [], removed: [], kept: [] })
  })

  test('a folder that was moved and left a link behind', async () => {
    const garden = await aRepo({ 'src/a': 'a', 'src/b/c': 'c' })
    const before = await snap(garden)
    await garden.sh('sh', '-c', 'mv src lib && ln -s lib src && echo changed > lib/a')
    expect(await restore(garden, before.tree)).toEqual({
      restored: ['src/a', 'src/b/c'],
      removed: ['lib/a', 'lib/b/c', 'src'],
      kept: [],
    })
    expect((await snap(garden)).tree).toBe(before.tree)
  })

  test('links, modes, files that became folders and folders that became files', async () => {
    const garden = await aRepo({ run: '#!/bin/sh', file: 'f', 'folder/x': 'x' })
    await garden.sh('chmod', '+x', 'run')
    await garden.sh('ln', '-s', 'run', 'link')
    const before = await snap(garden)
    await garden.sh(
      'sh',
      '-c',
      'chmod -x run; rm link; echo x > link; rm -r file folder; mkdir file; echo y > file/y; echo z > folder',
    )
    await restore(garden, before.tree)
    expect((await snap(garden)).tree).toBe(before.tree)
    expect(await garden.sh('readlink', 'link')).toBe('run\n')
  })

  test('leaves alone what is not stored, on either side', async () => {
    const garden = await aRepo({ a: 'a' })
    garden.write({ '.env': '1', 'now.ignored': 'then' })
    const before = await snap(garden)
    garden.write({ '.env': '2', 'new.pem': 'k', 'now.ignored': 'precious', '.gitignore': '*.ignored\n' })
    expect(await restore(garden, before.tree)).toEqual({
      restored: [],
      removed: ['.gitignore'],
      kept: ['.env', 'new.pem', 'now.ignored'],
    })
    expect([
      readIfThere(garden.path('.env')),
      readIfThere(garden.path('new.pem')),
      readIfThere(garden.path('now.ignored')),
    ]).toEqual(['2', 'k', 'precious'])
  })

  test('goes into nested repositories, and leaves one that is new', async () => {
    const garden = await aRepo({ a: 'a' })
    await garden.git('init', '-q', 'inner')
    garden.write({ 'inner/x': '1' })
    const before = await snap(garden)
    garden.write({ 'inner/x': '2', 'inner/y': 'y' })
    await garden.git('init', '-q', 'other')
    garden.write({ 'other/z': 'z' })
    expect(await restore(garden, before.tree)).toEqual({
      restored: ['inner/x'],
      removed: ['inner/y'],
      kept: ['other'],
    })
  })

  test('is refused without git', async () => {
    const garden = aFolder({ a: 'a' })
    const { tree } = await takeSnapshot(await openRepo(garden.root, garden), { ref: null })
    await expect(restore(garden, tree)).rejects.toMatchObject({ code: 'not-found' })
  })
})
