import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder, removeFolder } from './files.ts'
import { readFilePart } from './read-part.ts'

function aFile(text: string): string {
  const folder = makeTempFolder('ralph-tail-')
  onTestFinished(() => removeFolder(folder))
  writeFileSync(join(folder, 'log'), text)
  return join(folder, 'log')
}

function textOf(part: ReturnType<typeof readFilePart>): { text: string; size: number } | null {
  return part === null ? null : { text: part.bytes.toString('utf8'), size: part.size }
}

test('a part begins where it was asked for and is no longer than asked for', () => {
  expect(textOf(readFilePart(aFile('0123456789'), { from: 3, max: 4 }))).toEqual({ text: '3456', size: 10 })
})

test('what was appended since is in the next part', () => {
  const path = aFile('first\n')
  appendFileSync(path, 'second\n')
  expect(textOf(readFilePart(path, { from: 6, max: 100 }))).toEqual({ text: 'second\n', size: 13 })
})

test('beyond the end there is nothing, and the size tells that the file became shorter', () => {
  expect(textOf(readFilePart(aFile('abc'), { from: 50, max: 10 }))).toEqual({ text: '', size: 3 })
})

test('no file is no error', () => {
  expect(readFilePart(join(aFile(''), 'nowhere'), { from: 0, max: 10 })).toBeNull()
  expect(readFilePart(`${aFile('')}.gone`, { from: 0, max: 10 })).toBeNull()
})
