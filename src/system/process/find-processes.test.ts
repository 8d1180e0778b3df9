import { expect, test } from 'vitest'
import { openProcessSearch } from './find-processes.ts'
import { isPidOrderReliable, findProcess, countStartedProcesses } from './process-table.ts'
import { startProcess } from './process.ts'

test.runIf(process.platform === 'linux')(
  'whoever was there before the leader is not even read, as long as pids rise',
  async () => {
    const startedBefore = countStartedProcesses()
    const child = startProcess({
      argv: ['sh', '-c', 'sleep 60 & wait'],
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '' },
      stdin: 'none',
      follow: { notes: null },
      onStdout() {},
      onStderr() {},
    })
    const leader = { pid: child.pid, startTime: child.startTime }
    const lowest = (hunt: ReturnType<typeof openProcessSearch>): number =>
      Math.min(...hunt.allProcesses().map((proc) => proc.pid))
    const wanted = { leader, marks: [], noted: () => [] }
    const spared = openProcessSearch({ ...wanted, startedBefore })
    const whole = openProcessSearch(wanted)
    spared.look(() => {})
    whole.look(() => {})
    const rising = isPidOrderReliable(child.pid, startedBefore)
    expect([lowest(spared) >= child.pid, lowest(whole) < child.pid]).toEqual([rising, true])
    expect(spared.alive().map(({ pid }) => pid)).toContain(child.pid)
    await child.stop({ graceMs: 0 })
    expect(findProcess(child.pid)).toBe(null)
  },
)

test('when nobody knows how many were started, or too many were, all are read', () => {
  const now = countStartedProcesses() ?? 0
  expect([isPidOrderReliable(100, null), isPidOrderReliable(100, now - 10_000_000)]).toEqual([false, false])
})
