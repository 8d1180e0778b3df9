/** A share of the million that `npm run sim -- --claims 1000000` plays. */
import { expect, test } from 'vitest'
import { runClaimStress } from '../sim/claim-stress.ts'

/** Seconds on a free machine. */
const MINUTES = 10 * 60_000

test('ten thousand claims by four engines: none double, none lost', { timeout: MINUTES }, async () => {
  const { held, ...seen } = await runClaimStress({ claims: 10_000, seed: 7 })
  const { claims, done, failed, released, lost } = seen
  expect(done + failed + released + lost + held).toBe(claims)
  // Each of them was there to be got wrong.
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([])
})
