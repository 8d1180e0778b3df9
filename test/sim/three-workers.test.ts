/** Three workers in one tree, in nights of every kind: every screen counts the iterations, files and commits of all of them. */
import { expect, test } from 'vitest'
import { simulate } from './run.ts'
import { memoryStore } from './store.ts'

test.each([
  ['a loop', false],
  ['a run through tasks', true],
])('%s with three workers', async (_, tasks) => {
  const store = await memoryStore()
  const failures: string[] = []
  for (let seed = 1; seed <= 15; seed++) {
    const { failure } = await simulate(store, seed, { note: () => {} }, { workers: 3, tasks })
    if (failure !== null) failures.push(failure)
  }
  expect(failures).toEqual([])
})
