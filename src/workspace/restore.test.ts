import { afterAll, describe, expect, test } from 'vitest'
import { exists, hashFile, readIfThere, removeIfThere, writeLoose } from '../system/files.ts'
import { aFolder, aRepo, clearGardens, type Garden } from './test-kit.ts'
import { openRepo } from './git.ts'
import { restoreTree, undoTo } from './restore.ts'
import { takeSnapshot } from './snapshot.ts'

afterAll(clearGardens)

async function snap(garden: Garden) {
  return takeSnapshot(await openRepo(garden.root), { ref: 'refs/ralph/r1/1' })
}

async function restore(garden: Garden, tree: string) {
  return restoreTree(await openRepo(garden.root), tree)
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
    const { tree } = await takeSnapshot(await openRepo(garden.root), { ref: null })
    await expect(restore(garden, tree)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('undo', () => {
  const AT = { at: Date.UTC(2026, 0, 2, 3, 4, 5) }
  const REF = 'refs/ralph/undo/2026-01-02T03-04-05-000Z'

  test('takes back files and commits, and keeps what was there', async () => {
    const garden = await aRepo({ a: 'a' })
    const before = await snap(garden)
    garden.write({ a: 'b', new: 'n' })
    const made = await garden.commit('by the agent')
    garden.write({ a: 'c' })
    const undone = await undoTo(await openRepo(garden.root), before, AT)
    expect(undone).toEqual({
      restored: ['a'],
      removed: ['new'],
      kept: [],
      ref: REF,
      moved: { name: 'main', from: made, to: before.head },
      remark: null,
    })
    expect(await garden.git('status', '--porcelain')).toBe('')
    expect((await garden.git('rev-parse', 'main', `${REF}^`)).split('\n')).toEqual([before.head, made, ''])
    expect(await garden.git('show', `${REF}:a`)).toBe('c')
  })

  test('to before the first commit', async () => {
    const garden = await aRepo()
    garden.write({ a: 'a' })
    const before = await snap(garden)
    const made = await garden.commit('first')
    const undone = await undoTo(await openRepo(garden.root), before, AT)
    expect(undone.moved).toEqual({ name: 'main', from: made, to: null })
    expect(await garden.git('status', '--porcelain')).toBe('?? a\n')
  })

  test('on a detached HEAD', async () => {
    const garden = await aRepo({ a: 'a' })
    await garden.git('checkout', '-q', '--detach')
    const before = await snap(garden)
    garden.write({ a: 'b' })
    const made = await garden.commit('on')
    const undone = await undoTo(await openRepo(garden.root), before, AT)
    expect(undone.moved).toEqual({ name: 'HEAD', from: made, to: before.head })
    expect((await garden.git('rev-parse', 'HEAD')).trim()).toBe(before.head)
  })

  test('does not move another branch', async () => {
    const garden = await aRepo({ a: 'a' })
    const before = await snap(garden)
    await garden.git('checkout', '-q', '-b', 'side')
    garden.write({ a: 'b' })
    const made = await garden.commit('on')
    const undone = await undoTo(await openRepo(garden.root), before, AT)
    expect([undone.moved, undone.remark]).toEqual([
      null,
      'the branch was not moved: you are on side now and were on main then',
    ])
    expect((await garden.git('rev-parse', 'side')).trim()).toBe(made)
    expect(readIfThere(garden.path('a'))).toBe('a')
  })

  test('waits for a rebase to be over', async () => {
    const garden = await aRepo({ a: 'a' })
    const before = await snap(garden)
    writeLoose(garden.path('.git/MERGE_HEAD'), before.head ?? '')
    await expect(undoTo(await openRepo(garden.root), before, AT)).rejects.toMatchObject({
      code: 'held',
      message: 'cannot undo while a merge is in progress',
    })
  })
})
