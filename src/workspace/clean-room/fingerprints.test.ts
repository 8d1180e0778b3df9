import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { aFolder, removeTestProjects } from '../../../test/kit/workspace.ts'
import { folderChangesSince, removeAddedPaths, fingerprintFolder } from './fingerprints.ts'

afterAll(removeTestProjects)

const NOTHING = { added: [], changed: [], gone: [] }

test('a sealed folder tells what was added, changed and taken away since', async () => {
  const testProject = aFolder({ 'f/a': '1', 'f/b': '2', 'f/deep/c': '3', 'f/d': '4', 'f/e/x': '5' })
  const folder = testProject.path('f')
  symlinkSync('a', testProject.path('f/link'))
  const fingerprints = await fingerprintFolder(folder)
  expect([...fingerprints.keys()]).toEqual(['a', 'b', 'd', 'deep', 'deep/c', 'e', 'e/x', 'link'])
  expect(await folderChangesSince(folder, fingerprints)).toEqual(NOTHING)
  writeFileSync(testProject.path('f/a'), '9')
  utimesSync(testProject.path('f/a'), 1, 1)
  rmSync(testProject.path('f/b'))
  rmSync(testProject.path('f/e'), { recursive: true })
  chmodSync(testProject.path('f/deep'), 0o700)
  rmSync(testProject.path('f/link'))
  symlinkSync('b', testProject.path('f/link'))
  mkdirSync(testProject.path('f/new/inner'), { recursive: true })
  writeFileSync(testProject.path('f/deep/z'), '')
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/deep/`), Buffer.from([0xff])]), '')
  const found = await folderChangesSince(folder, fingerprints)
  expect(found).toEqual({
    added: ['deep/z', 'deep/\ufffd', 'new'],
    changed: ['a', 'deep', 'link'],
    gone: ['b', 'e', 'e/x'],
  })
  removeAddedPaths(folder, found.added)
  expect((await folderChangesSince(folder, fingerprints)).added).toEqual([])
})

test('a change of the same length in the moment after it was sealed is seen', async () => {
  const testProject = aFolder({ 'f/a': 'one' })
  for (const word of ['two', 'six', 'ten']) {
    const fingerprints = await fingerprintFolder(testProject.path('f'))
    writeFileSync(testProject.path('f/a'), word)
    expect((await folderChangesSince(testProject.path('f'), fingerprints)).changed).toEqual(['a'])
  }
})

test('a single file can be sealed, and one that is gone is told', async () => {
  const testProject = aFolder({ a: 'one' })
  const fingerprints = await fingerprintFolder(testProject.path('a'))
  expect([...fingerprints.keys()]).toEqual([''])
  expect(await folderChangesSince(testProject.path('a'), fingerprints)).toEqual(NOTHING)
  rmSync(testProject.path('a'))
  expect(await folderChangesSince(testProject.path('a'), fingerprints)).toEqual({ ...NOTHING, gone: [''] })
})
