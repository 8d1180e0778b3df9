/** Fixed seeds for every day; `npm run sim` tries ten thousand. */
import { expect, test } from 'vitest'
import { simulate } from './run.ts'
import { memoryStore } from './store.ts'

/** A few hundred bad nights take some seconds; each batch is a test, so that a failure names its neighbourhood. */
const BATCHES = 4
const SEEDS = 50

test.each(Array.from({ length: BATCHES }, (_, i) => i * SEEDS + 1))(
  'every rule holds in the fifty nights from seed %i',
  async (first) => {
    const store = await memoryStore()
    const failures: string[] = []
    for (let seed = first; seed < first + SEEDS; seed++) {
      const { failure } = await simulate(store, seed, { note: () => {} })
      if (failure !== null) failures.push(failure)
    }
    expect(failures).toEqual([])
  },
)
