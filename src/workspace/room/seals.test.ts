import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { aFolder, clearGardens } from '../../../test/kit/workspace.ts'
import { checkFolder, removeAdded, sealFolder } from './seals.ts'

afterAll(clearGardens)

const NOTHING = { added: [], changed: [], gone: [] }

test('a sealed folder tells what was added, changed and taken away since', async () => {
  const garden = aFolder({ 'f/a': '1', 'f/b': '2', 'f/deep/c': '3', 'f/d': '4', 'f/e/x': '5' })
  const folder = garden.path('f')
  symlinkSync('a', garden.path('f/link'))
  const seals = await sealFolder(folder)
  expect([...seals.keys()]).toEqual(['a', 'b', 'd', 'deep', 'deep/c', 'e', 'e/x', 'link'])
  expect(await checkFolder(folder, seals)).toEqual(NOTHING)
  writeFileSync(garden.path('f/a'), '9')
  utimesSync(garden.path('f/a'), 1, 1)
  rmSync(garden.path('f/b'))
  rmSync(garden.path('f/e'), { recursive: true })
  chmodSync(garden.path('f/deep'), 0o700)
  rmSync(garden.path('f/link'))
  symlinkSync('b', garden.path('f/link'))
  mkdirSync(garden.path('f/new/inner'), { recursive: true })
  writeFileSync(garden.path('f/deep/z'), '')
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/deep/`), Buffer.from([0xff])]), '')
  const found = await checkFolder(folder, seals)
  expect(found).toEqual({
    added: ['deep/z', 'deep/\ufffd', 'new'],
    changed: ['a', 'deep', 'link'],
    gone: ['b', 'e', 'e/x'],
  })
  removeAdded(folder, found.added)
  expect((await checkFolder(folder, seals)).added).toEqual([])
})

test('a change of the same length in the moment after it was sealed is seen', async () => {
  const garden = aFolder({ 'f/a': 'one' })
  for (const word of ['two', 'six', 'ten']) {
    const seals = await sealFolder(garden.path('f'))
    writeFileSync(garden.path('f/a'), word)
    expect((await checkFolder(garden.path('f'), seals)).changed).toEqual(['a'])
  }
})

test('a single file can be sealed, and one that is gone is told', async () => {
  const garden = aFolder({ a: 'one' })
  const seals = await sealFolder(garden.path('a'))
  expect([...seals.keys()]).toEqual([''])
  expect(await checkFolder(garden.path('a'), seals)).toEqual(NOTHING)
  rmSync(garden.path('a'))
  expect(await checkFolder(garden.path('a'), seals)).toEqual({ ...NOTHING, gone: [''] })
})
