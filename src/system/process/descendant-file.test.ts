import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder } from '../files/files.ts'
import { openDescendantFile, readDescendantFile } from './descendant-file.ts'
import { findProcess } from './process-table.ts'
import { endMarkedProcesses } from './process.ts'
import { isProcessAlive, startUnrelatedProcess } from '../../../test/kit/system.ts'

const ONE = { pid: 11, startTime: '1100' }
const TWO = { pid: 12, startTime: 'Mon Mar 1 12:00:00 2027' }

function file(): string {
  const folder = makeTempFolder('ralph-notes-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'deep', 'e1')
}

test('what was noted is read again, until it is removed', () => {
  const path = file()
  const notes = openDescendantFile(path, 'p.r.e1')
  notes.add([ONE])
  notes.addMark('OTHER=p.r.e1.1')
  notes.add([TWO])
  expect(readDescendantFile(path)).toEqual({ marks: ['p.r.e1', 'OTHER=p.r.e1.1'], seen: [ONE, TWO] })
  notes.remove()
  expect(readDescendantFile(path)).toEqual({ marks: [], seen: [] })
})

test('notes of before a restart of the machine, or without a beginning, name nobody', () => {
  const path = file()
  openDescendantFile(path, 'p.r.e1').add([ONE])
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/^boot .*/, 'boot another'))
  expect(readDescendantFile(path)).toEqual({ marks: [], seen: [] })
  writeFileSync(path, text.split('\n').slice(2).join('\n'))
  expect(readDescendantFile(path)).toEqual({ marks: [], seen: [] })
})

test('notes that cannot be kept are no error', () => {
  const notes = openDescendantFile('/dev/null/no/such/folder', 'p.r.e1')
  expect(() => {
    notes.add([ONE])
    notes.remove()
  }).not.toThrow()
})

test('a process that has a noted pid but began at another time is spared', async () => {
  const path = file()
  const pid = await startUnrelatedProcess('/')
  const startTime = findProcess(pid)?.startTime ?? ''
  const notes = openDescendantFile(path, 'p.r.e1')
  notes.add([{ pid, startTime: `${startTime}0` }])
  expect([await endMarkedProcesses('p.r.e1', { graceMs: 0, notes: path }), isProcessAlive(pid)]).toEqual([0, true])
  openDescendantFile(path, 'p.r.e1').add([{ pid, startTime }])
  expect([await endMarkedProcesses('p.r.e1', { graceMs: 0, notes: path }), isProcessAlive(pid)]).toEqual([1, false])
})
