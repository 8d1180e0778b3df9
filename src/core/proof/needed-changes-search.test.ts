import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  searchAfterTrial,
  beginSearch,
  rangeMembers,
  toRanges,
  nextSearchStep,
  type ChangeSearch,
} from './needed-changes-search.ts'

/** Plays the search against a judge that passes when all of `needed` are kept. */
function play(
  files: number,
  needed: number[],
  { hintedFiles = [], trials = 12 }: { hintedFiles?: number[]; trials?: number } = {},
) {
  let search = beginSearch(files, hintedFiles, trials)
  for (let runs = 0; ; runs += 1) {
    const step = nextSearchStep(search)
    if (step.is === 'found') return { found: rangeMembers(step.files), exact: step.exact, runs }
    const kept = new Set(rangeMembers(step.keep))
    search = searchAfterTrial(
      search,
      needed.every((one) => kept.has(one)),
    )
  }
}

describe('one needed file', () => {
  test('a single change needs no trial', () => {
    expect(play(1, [0])).toEqual({ found: [0], exact: true, runs: 0 })
  })

  test.each([2, 3, 8, 100, 4096])('of %i is found by halving', (files) => {
    const { found, exact, runs } = play(files, [files - 1], { trials: 100 })
    expect([found, exact]).toEqual([[files - 1], true])
    expect(runs).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(files)))
  })

  test('that the failing tests name is found in one trial', () => {
    expect(play(500, [321], { hintedFiles: [321] })).toEqual({ found: [321], exact: true, runs: 1 })
  })

  test('is found also where the failing tests name others', () => {
    expect(play(4, [3], { hintedFiles: [0] })).toMatchObject({ found: [3], exact: true })
  })
})

test('two needed files far apart are both found', () => {
  expect(play(16, [1, 14], { trials: 100 })).toMatchObject({ found: [1, 14], exact: true })
})

test.each([
  [1, 39],
  [3, 20],
  [18, 22],
  [38, 39],
])('two of forty (%i, %i) are narrowed to a handful within the trials that are allowed', (...needed) => {
  const { found, runs } = play(40, needed)
  expect(runs).toBeLessThanOrEqual(12)
  expect(found).toEqual(expect.arrayContaining(needed))
  expect(found.length).toBeLessThanOrEqual(5)
})

test('a search that was under way when its program was replaced goes on', () => {
  const kept = { enough: [[0, 7]], hintedFiles: [], left: 12, parts: 4, turn: 1 } as unknown as ChangeSearch
  expect(nextSearchStep(kept)).toEqual({ is: 'try', keep: [[0, 3]] })
  expect(nextSearchStep(searchAfterTrial(kept, true))).toEqual({ is: 'try', keep: [[0, 1]] })
})

test('a search that may not go on says that it is not exact', () => {
  const { found, exact, runs } = play(1000, [3, 500, 997], { trials: 12 })
  expect(exact).toBe(false)
  expect(runs).toBe(12)
  expect(found).toEqual(expect.arrayContaining([3, 500, 997]))
})

test('whatever is needed, what is found suffices, and an exact answer has nothing to spare', () => {
  const cases = fc.integer({ min: 1, max: 60 }).chain((files) =>
    fc.record({
      files: fc.constant(files),
      needed: fc.uniqueArray(fc.integer({ min: 0, max: files - 1 }), { minLength: 1, maxLength: 5 }),
      hintedFiles: fc.uniqueArray(fc.integer({ min: -1, max: files }), { maxLength: 4 }),
      trials: fc.integer({ min: 0, max: 40 }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ files, needed, hintedFiles, trials }) => {
      const { found, exact, runs } = play(files, needed, { hintedFiles, trials })
      expect(runs).toBeLessThanOrEqual(trials)
      expect(found).toEqual(expect.arrayContaining(needed))
      if (exact) expect(found.toSorted((a, b) => a - b)).toEqual(needed.toSorted((a, b) => a - b))
    }),
  )
})

test('ranges hold what they were made of', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 200 })), (numbers) => {
      expect(rangeMembers(toRanges(numbers))).toEqual(numbers.toSorted((a, b) => a - b))
    }),
  )
})
