import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeTempFolder } from './files.ts'
import { folderFiles } from './folder-files.ts'

const folder = makeTempFolder('ralph-folder-files-')
afterAll(() => rmSync(folder, { recursive: true }))
for (const inside of ['b/deep', 'skipped', 'b/skipped']) mkdirSync(join(folder, inside), { recursive: true })
for (const file of ['a', 'b/c', 'b/deep/d', 'skipped/e', 'b/skipped/f', 'z']) {
  writeFileSync(join(folder, file), file)
}
symlinkSync('..', join(folder, 'b/up'))

const without = new Set(['skipped'])
const paths = (max: number) => folderFiles(folder, { without, max }).map(({ path }) => path)

test('files and links in order, without some folders, and links are not followed', () => {
  expect(paths(100)).toEqual(['a', 'b/c', 'b/deep/d', 'b/up', 'z'])
})

test('no more than wanted', () => {
  expect([paths(1), paths(3)]).toEqual([['a'], ['a', 'b/c', 'b/deep/d']])
})

test('a file is its own list, and what is not there has none', () => {
  const [file, ...more] = folderFiles(join(folder, 'z'), { without, max: 9 })
  expect([file?.path, file?.size, file?.isLink, more]).toEqual(['', 1, false, []])
  expect(folderFiles(join(folder, 'nowhere'), { without, max: 9 })).toEqual([])
})

test('what was written just now is not settled: its clock may not have ticked yet', () => {
  writeFileSync(join(folder, 'a'), 'new')
  expect(folderFiles(join(folder, 'a'), { without, max: 9 })[0]?.isFinishedTask).toBe(false)
})
