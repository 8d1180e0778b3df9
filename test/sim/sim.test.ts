/** Fixed seeds for every day; `npm run sim` tries ten thousand. */
import { describe, expect, test } from 'vitest'
import { simulate } from './run.ts'
import { memoryStore } from './store.ts'

/** Some bad nights take some seconds; each batch is a test, so that a failure names its neighbourhood. */
const BATCHES = 4
const SEEDS = 20

const FIRSTS = Array.from({ length: BATCHES }, (_, i) => i * SEEDS + 1)

describe.each([
  ['', { twice: false }],
  [' in which every transaction is done twice', { twice: true }],
])('nights%s', (_, how) => {
  test.each(FIRSTS)('every rule holds in the twenty from seed %i', async (first) => {
    const store = await memoryStore(how)
    const failures: string[] = []
    for (let seed = first; seed < first + SEEDS; seed++) {
      const { failure } = await simulate(store, seed, { note: () => {} })
      if (failure !== null) failures.push(failure)
    }
    expect(failures).toEqual([])
  })
})
