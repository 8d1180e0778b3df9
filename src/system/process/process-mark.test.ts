import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomId } from '../clock.ts'
import { makeTempFolder } from '../files/files.ts'
import type { ProcessMark } from './process-mark.ts'
import { endMarkedProcesses, endRecordedProcesses, findMarkedPids } from './process.ts'
import {
  HAS_PRLIMIT,
  HAS_SETSID,
  hasMarkLimit,
  isProcessAlive,
  type ShellChild,
  startShellChild,
  until,
} from '../../../test/kit/system.ts'

let folder = ''
let mark: ProcessMark = { name: 'TMPDIR', value: '' }

beforeEach(() => {
  folder = makeTempFolder('ralph-mark-')
  mark = { name: 'TMPDIR', value: join(folder, randomId(10)) }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Whatever a trial starts knows nothing of Ralph: the place for its scratch files is the mark. */
describe.runIf(HAS_SETSID)('what left its group and lost its parent is known by the place of its scratch files', () => {
  test('and ended by whoever knows that place', async () => {
    const child = aTrial()
    const pid = await loosened(child, '')
    expect(await findMarkedPids(mark)).toEqual([pid])
    expect(await findMarkedPids(mark.value)).toEqual([])
    expect([await endMarkedProcesses(mark, { graceMs: 0 }), isProcessAlive(pid)]).toEqual([1, false])
  })

  test.runIf(HAS_PRLIMIT)('by its number, if it cleared its environment', async () => {
    const child = aTrial()
    await until(() => hasMarkLimit(child.pid))
    const pid = await loosened(child, 'env -i')
    expect([await endMarkedProcesses(mark, { graceMs: 0 }), isProcessAlive(pid)]).toEqual([1, false])
  })

  test('and by the end of the trial itself', async () => {
    const child = aTrial()
    await until(() => !HAS_PRLIMIT || hasMarkLimit(child.pid))
    const pid = await loosened(child, HAS_PRLIMIT ? 'env -i' : '')
    await child.stop({ graceMs: 0 })
    expect(isProcessAlive(pid)).toBe(false)
  })

  test('and by notes alone, though nobody saw it', async () => {
    const child = aTrial()
    const pid = await loosened(child, '')
    await endRecordedProcesses(join(folder, 'notes'), { graceMs: 0 })
    expect(isProcessAlive(pid)).toBe(false)
  })

  test('another place is another trial', async () => {
    const pid = await loosened(aTrial(), '')
    const other = { name: 'TMPDIR', value: `${mark.value}2` }
    expect([await endMarkedProcesses(other, { graceMs: 0 }), isProcessAlive(pid)]).toEqual([0, true])
    await endMarkedProcesses(mark, { graceMs: 0 })
  })
})

function aTrial(): ShellChild {
  return startShellChild({ cwd: folder, notes: join(folder, 'notes', 'e1'), mark })
}

/** A sleeper in a session of its own, two forks away, whose parents have ended. */
async function loosened(child: ShellChild, prefix: string): Promise<number> {
  child.write(`sh -c '${prefix} setsid sleep 300 > /dev/null 2>&1 < /dev/null & echo $!'\n`)
  child.closeStdin()
  await child.ended
  const pid = child.numbers()[0] ?? 0
  expect(isProcessAlive(pid)).toBe(true)
  return pid
}
