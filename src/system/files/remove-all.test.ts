import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { entryAt, readRegularFile } from './path-entry.ts'
import { makeFile, awaitNewTimestamp } from './create-files.ts'
import { listEntries, removeAll, removeUndecodable } from './remove-all.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
  onTestFinished(() => removeAll(folder))
  return folder
}

test('what programs have closed is removed all the same, and what links lead to stays', () => {
  const folder = aFolder()
  mkdirSync(join(folder, 'theirs'))
  writeFileSync(join(folder, 'theirs/x'), 'precious')
  chmodSync(join(folder, 'theirs'), 0o500)
  mkdirSync(join(folder, 'a/b/c'), { recursive: true })
  writeFileSync(join(folder, 'a/b/c/d'), '')
  symlinkSync(join(folder, 'theirs'), join(folder, 'a/b/link'))
  for (const path of ['a/b/c', 'a/b', 'a']) chmodSync(join(folder, path), 0)
  removeAll(join(folder, 'a'))
  removeAll(join(folder, 'not there'))
  expect(existsSync(join(folder, 'a'))).toBe(false)
  expect(readFileSync(join(folder, 'theirs/x'), 'utf8')).toBe('precious')
  expect((entryAt(join(folder, 'theirs'))?.mode ?? 0) & 0o777).toBe(0o500)
})

test('names that are no text are told apart from those that only look so', () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'x\ufffd'), 'a text')
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/y`), Buffer.from([0xff])]), '')
  expect(listEntries(folder)).toEqual([
    { name: 'x\ufffd', isUndecodable: false },
    { name: 'y\ufffd', isUndecodable: true },
  ])
  expect(removeUndecodable(folder)).toBe(1)
  expect(readdirSync(folder)).toEqual(['x\ufffd'])
})

test('a folder that was closed to us is opened to be listed', () => {
  const folder = aFolder()
  mkdirSync(join(folder, 'shut'))
  writeFileSync(join(folder, 'shut/x'), '')
  chmodSync(join(folder, 'shut'), 0)
  expect(listEntries(join(folder, 'shut'))).toEqual([{ name: 'x', isUndecodable: false }])
})

test('only plain files are read', () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'a'), 'one')
  symlinkSync('a', join(folder, 'link'))
  expect(readRegularFile(join(folder, 'a'))?.bytes.toString()).toBe('one')
  for (const path of ['link', '.', 'none', 'a/b']) expect(readRegularFile(join(folder, path))).toBeNull()
})

test('once it has settled, every change has another time', async () => {
  const folder = aFolder()
  const path = join(folder, 'a')
  makeFile(path, Buffer.from('one'), { isExec: false })
  expect(() => makeFile(path, Buffer.from('two'), { isExec: false })).toThrow(/could not write/)
  for (let n = 0; n < 5; n += 1) {
    const before = entryAt(path)?.changedNs ?? 0n
    await awaitNewTimestamp(folder, before)
    writeFileSync(path, 'two')
    expect((entryAt(path)?.changedNs ?? 0n) > before).toBe(true)
  }
  expect(readdirSync(folder)).toEqual(['a'])
})
