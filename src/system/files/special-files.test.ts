import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder, removeFolder } from './files.ts'
import { truncateFile, isLink } from './special-files.ts'

function aFolder(): string {
  const folder = makeTempFolder('ralph-plain-')
  onTestFinished(() => removeFolder(folder))
  return folder
}

test('an emptied file is still the same file', () => {
  const path = join(aFolder(), 'live.log')
  writeFileSync(path, 'words')
  const before = statSync(path).ino
  truncateFile(path)
  expect({ text: readFileSync(path, 'utf8'), same: statSync(path).ino === before }).toEqual({
    text: '',
    same: true,
  })
})

test('emptying what is not there does nothing', () => {
  expect(() => truncateFile(join(aFolder(), 'none'))).not.toThrow()
})

test('a link is told from a file, even when it leads nowhere', () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  const names = ['file', 'link', 'none', 'file/below']
  expect(names.map((name) => isLink(join(folder, name)))).toEqual([false, true, false, false])
})
