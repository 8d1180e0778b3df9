import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { identify, isAlive, me } from './identity.ts'
import { livingProcesses, processOf, tableFromPs } from './process-table.ts'

test('this process is alive', () => {
  expect(me().pid).toBe(process.pid)
  expect(me()).toEqual(identify(process.pid))
  expect(isAlive(me())).toBe(true)
})

test('a process that has this pid but started at another time is another process', () => {
  expect(isAlive({ ...me(), startTime: '1' })).toBe(false)
})

test('after a restart of the machine nobody from before is alive', () => {
  expect(isAlive({ ...me(), boot: 'another-boot' })).toBe(false)
})

test('a process is alive until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const identity = identify(child.pid ?? 0)
  expect(identity !== null && isAlive(identity)).toBe(true)
  child.stdin.end()
  await once(child, 'exit')
  expect(identity !== null && isAlive(identity)).toBe(false)
  expect(identify(child.pid ?? 0)).toBe(null)
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 31])('%d is nobody', (pid) => expect(identify(pid)).toBe(null))

test('two processes have two identities', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const theirs = identify(child.pid ?? 0)
  child.stdin.end()
  await once(child, 'exit')
  expect(theirs).not.toEqual(me())
  expect(theirs?.boot).toBe(me().boot)
})

test('ps tells of a process what /proc tells: who, from whom, in which group', () => {
  const mine = tableFromPs().find((proc) => proc.pid === process.pid)
  expect(mine).toEqual({ ...processOf(process.pid), startTime: mine?.startTime })
  expect(Date.parse(`${mine?.startTime} UTC`)).toBeLessThanOrEqual(Date.now())
  expect(livingProcesses().map((proc) => proc.pid)).toContain(process.pid)
})
