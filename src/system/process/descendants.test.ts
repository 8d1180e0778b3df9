import { expect, test } from 'vitest'
import { orphansStartedAfter, rootsAndDescendants } from './descendants.ts'
import type { Proc } from './process-table.ts'

/** `at`: when it began. */
function proc(pid: number, parent: number, { at = pid, ...more }: Partial<Proc> & { at?: number } = {}): Proc {
  return { pid, parent, group: pid, startTime: String(at), terminal: false, zombie: false, ...more }
}

const pids = (procs: Iterable<Proc>) => [...procs].map(({ pid }) => pid).sort((one, other) => one - other)

test('descendants are children, their children, and nobody else', () => {
  const root = proc(10, 1)
  const table = [proc(1, 0), proc(30, 20), root, proc(20, 10), proc(21, 10), proc(40, 1), proc(41, 40)]
  expect(pids(rootsAndDescendants(table, [root]))).toEqual([10, 20, 21, 30])
})

test.runIf(process.platform === 'linux')('a child older than its parent is another parent’s', () => {
  const root = proc(10, 1, { at: 500 })
  expect(pids(rootsAndDescendants([root, proc(11, 10, { at: 499 }), proc(12, 10, { at: 500 })], [root]))).toEqual([
    10, 12,
  ])
})

test.runIf(process.platform === 'linux')(
  'orphans have no parent and no terminal, and began after the one they are asked for',
  () => {
    const since = proc(10, 1, { at: 100 })
    const table = [
      since,
      proc(11, 1, { at: 99 }),
      proc(12, 1, { at: 100 }),
      proc(13, 2, { at: 101 }),
      proc(14, 9, { at: 101 }),
      proc(15, 1, { at: 101, terminal: true }),
      proc(16, 1, { at: 101, zombie: true }),
    ]
    expect(pids(orphansStartedAfter(table, { since, isReaper: (pid) => pid === 1 || pid === 2 }))).toEqual([12, 13])
  },
)
