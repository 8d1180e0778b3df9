import { expect, test } from 'vitest'
import { openHunt } from './hunt.ts'
import { isStillRising, processOf, startedSoFar } from './process-table.ts'
import { start } from './process.ts'

test.runIf(process.platform === 'linux')(
  'whoever was there before the leader is not even read, as long as pids rise',
  async () => {
    const startedBefore = startedSoFar()
    const child = start({
      argv: ['sh', '-c', 'sleep 60 & wait'],
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '' },
      stdin: 'none',
      follow: { notes: null },
      onStdout() {},
      onStderr() {},
    })
    const leader = { pid: child.pid, startTime: child.startTime }
    const lowest = (hunt: ReturnType<typeof openHunt>): number =>
      Math.min(...hunt.everybody().map((proc) => proc.pid))
    const wanted = { leader, marks: [], noted: () => [] }
    const spared = openHunt({ ...wanted, startedBefore })
    const whole = openHunt(wanted)
    spared.look(() => {})
    whole.look(() => {})
    const rising = isStillRising(child.pid, startedBefore)
    expect([lowest(spared) >= child.pid, lowest(whole) < child.pid]).toEqual([rising, true])
    expect(spared.living().map(({ pid }) => pid)).toContain(child.pid)
    await child.stop({ graceMs: 0 })
    expect(processOf(child.pid)).toBe(null)
  },
)

test('when nobody knows how many were started, or too many were, all are read', () => {
  const now = startedSoFar() ?? 0
  expect([isStillRising(100, null), isStillRising(100, now - 10_000_000)]).toEqual([false, false])
})
