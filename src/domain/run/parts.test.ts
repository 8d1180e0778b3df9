import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aNight } from '../test-kit.ts'
import type { House } from './house.ts'
import { isSamePart, joinHouse, splitHouse } from './parts.ts'
import { step } from './step.ts'

const throughText = (house: House): unknown => {
  const texts = [...splitHouse(house)].map(([name, value]) => [name, JSON.stringify(value)] as const)
  // Whoever keeps them gives them back in an order of his own.
  const read = texts.toReversed().map(([name, text]) => [name, JSON.parse(text) as unknown] as const)
  return joinHouse(new Map(read))
}

const name = fc.oneof(fc.nat(20).map(String), fc.string({ minLength: 1, maxLength: 4 }))
const anything = fc.jsonValue({ maxDepth: 2 })

/** Shapes change; the seams do not: a run with rules and open effects, workers by their ids, and whatever else. */
const houses = fc
  .record({
    workers: fc.dictionary(name, fc.record({ id: name, phase: anything })),
    effects: fc.dictionary(name, fc.record({ worker: name, type: anything })),
    rules: fc.record({ some: anything }),
    further: anything,
  })
  .map(({ workers, effects, rules, further }) => {
    const ids = Object.keys(workers)
    const open = Object.entries(effects).map(([id, effect], i) => [
      id,
      // Most belong to a worker that is there.
      { ...effect, worker: i % 4 === 0 ? effect.worker : (ids[i % ids.length] ?? effect.worker) },
    ])
    const run = { id: 'r1', rules, next: 1, open: Object.fromEntries(open) as object, further }
    return { run, workers, further } as unknown as House
  })

describe('a house in parts', () => {
  test('is the same house again, field by field and in their order', () => {
    fc.assert(
      fc.property(houses, (house) => {
        expect(JSON.stringify(throughText(house))).toBe(JSON.stringify(house))
      }),
    )
  })

  test('is so after every row of a night', () => {
    let house: House | null = null
    for (const row of aNight([{}, { files: 2 }, { done: true, green: true }])) {
      house = step(house, row.event, row).house
      expect(JSON.stringify(throughText(house))).toBe(JSON.stringify(house))
    }
  })

  test('that a part is called the same is true', () => {
    let before: House | null = null
    let same = 0
    for (const row of aNight([{}, { files: 2 }, { done: true, green: true }])) {
      const { house }: { house: House } = step(before, row.event, row)
      const then = before === null ? new Map() : splitHouse(before)
      for (const [part, value] of splitHouse(house)) {
        if (before === null || !isSamePart(part, house, before)) continue
        same += 1
        expect(value).toEqual(then.get(part))
      }
      before = house
    }
    expect(same).toBeGreaterThan(0)
  })
})
