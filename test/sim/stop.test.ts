/** A stop that meets a look at the tree: git takes minutes, the clock jumps, and it is over in seconds all the same. */
import { expect, test } from 'vitest'
import type { FaultRates } from './fault-rates.ts'
import { simulate } from './run.ts'
import { memoryStore } from './store.ts'

const SEEDS = 60

/** Every look takes minutes, people stop runs early, and the wall clock is set all the time. Nothing crashes: each life has its stop. */
function slowLooks(drawn: FaultRates): FaultRates {
  return {
    ...drawn,
    git: { ...drawn.git, slow: 1 },
    clock: { jumps: 0.5 },
    crowd: 0.5,
    requests: { ...drawn.requests, stop: 0.3 },
    crash: { ...drawn.crash, most: 0 },
  }
}

test.each([1, 3, 12])('with %i workers, each rule holds', async (workers) => {
  const store = await memoryStore()
  const failures: string[] = []
  const met = new Map<string, number>()
  const note = (what: string): void => void met.set(what, (met.get(what) ?? 0) + 1)
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure } = await simulate(store, seed, { note }, { workers, faultRates: slowLooks })
    if (failure !== null) failures.push(failure)
  }
  expect(failures).toEqual([])
  // The very moments that this is about were met, many times.
  expect(Math.min(met.get('stop in taking-snapshot') ?? 0, met.get('clock jumps forward') ?? 0)).toBeGreaterThan(
    SEEDS / 4,
  )
})
