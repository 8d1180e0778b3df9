import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeTempFolder } from './files.ts'
import { listFolderStamps } from './folder-stamps.ts'

const folder = makeTempFolder('ralph-folder-files-')
afterAll(() => rmSync(folder, { recursive: true }))
for (const inside of ['b/deep', 'skipped', 'b/skipped']) mkdirSync(join(folder, inside), { recursive: true })
for (const file of ['a', 'b/c', 'b/deep/d', 'skipped/e', 'b/skipped/f', 'z']) {
  writeFileSync(join(folder, file), file)
}
symlinkSync('..', join(folder, 'b/up'))

const entries = () => listFolderStamps(folder, (path) => !path.endsWith('skipped'))

test('files, links and folders, without what is in some folders, and links are not followed', () => {
  const found = [...entries().keys()].toSorted()
  expect(found).toEqual(['a', 'b', 'b/c', 'b/deep', 'b/deep/d', 'b/skipped', 'b/up', 'skipped', 'z'])
})

test('files and links have a stamp, folders have none', () => {
  const unstamped = [...entries()].filter(([, stamp]) => stamp === '').map(([path]) => path)
  expect(unstamped.toSorted()).toEqual(['b', 'b/deep', 'b/skipped', 'skipped'])
})

test('a file that was written has another stamp, the others keep theirs', () => {
  const before = entries()
  writeFileSync(join(folder, 'a'), 'longer')
  const after = entries()
  expect([...after].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path)).toEqual(['a'])
})

test('what is no folder, or not there, has nothing in it', () => {
  for (const path of ['z', 'nowhere']) expect(listFolderStamps(join(folder, path), () => true)).toEqual(new Map())
})
