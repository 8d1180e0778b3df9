import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { identifyProcess, isAlive, ownProcessIdentity } from './process-identity.ts'
import { livingProcesses, findProcess, processTableFromPs } from './process-table.ts'

test('this process is alive', () => {
  expect(ownProcessIdentity().pid).toBe(process.pid)
  expect(ownProcessIdentity()).toEqual(identifyProcess(process.pid))
  expect(isAlive(ownProcessIdentity())).toBe(true)
})

test('a process that has this pid but started at another time is another process', () => {
  expect(isAlive({ ...ownProcessIdentity(), startTime: '1' })).toBe(false)
})

test('after a restart of the machine nobody from before is alive', () => {
  expect(isAlive({ ...ownProcessIdentity(), boot: 'another-boot' })).toBe(false)
})

test('a process is alive until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const identity = identifyProcess(child.pid ?? 0)
  expect(identity !== null && isAlive(identity)).toBe(true)
  child.stdin.end()
  await once(child, 'exit')
  expect(identity !== null && isAlive(identity)).toBe(false)
  expect(identifyProcess(child.pid ?? 0)).toBe(null)
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 31])('%d is nobody', (pid) => expect(identifyProcess(pid)).toBe(null))

test('two processes have two identities', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const theirs = identifyProcess(child.pid ?? 0)
  child.stdin.end()
  await once(child, 'exit')
  expect(theirs).not.toEqual(ownProcessIdentity())
  expect(theirs?.boot).toBe(ownProcessIdentity().boot)
})

test('ps tells of a process what /proc tells: who, from whom, in which group', () => {
  const mine = processTableFromPs().find((proc) => proc.pid === process.pid)
  expect(mine).toEqual({ ...findProcess(process.pid), startTime: mine?.startTime })
  expect(Date.parse(`${mine?.startTime} UTC`)).toBeLessThanOrEqual(Date.now())
  expect(livingProcesses().map((proc) => proc.pid)).toContain(process.pid)
})
