import { expect, test } from 'vitest'
import { toAscii } from '../../text/ascii.ts'
import { iterationSeriesOf, type ChartedIteration } from './iteration-series.ts'
import { barParts, planBarText, sparkLine, sparkRows, sparkRowText } from './spark-line.ts'

test.each<[(number | null)[], number, string]>([
  [[], 10, ''],
  [[0, 0], 10, '▁▁'],
  [[1], 10, '█'],
  [[0, 1, 2, 3, 4, 5, 6, 7], 10, '▁▂▃▄▅▆▇█'],
  [[0, 0.001, 100], 10, '▁▂█'],
  [[3, null, 3], 10, '█·█'],
  [[100, 1, 2], 2, '▅█'],
  [[1, 2], 0, ''],
])('a spark line of %j in %i characters: %s', (values, width, line) => {
  expect(sparkLine(values, width)).toBe(line)
})

test('a spark line has a sign for each level where the locale is not UTF-8', () => {
  expect(toAscii(sparkLine([0, 1, 2, 3, 4, 5, 6, 7, null], 10))).toBe('_,:-=+*#.')
})

test.each([
  ['no iteration', [], []],
  ['one iteration', [one(0.1, 5)], []],
  ['no cost and no change', [one(null, 0), one(null, 0)], []],
  ['costs only', [one(0.1, 0), one(0.25, 0)], ['▄█ max $0.25 per iteration']],
  [
    'both, and one that still runs',
    [one(0.1, 4), one(0.2, 1200), { end: null, usage: null, change: null }],
    ['▅█ max $0.20 per iteration', '▂█ max 1.2k changed per iteration'],
  ],
])('rows of charts for %s', (_, iterations: ChartedIteration[], texts) => {
  expect(sparkRows(iterationSeriesOf(iterations), 40).map(sparkRowText)).toEqual(texts)
})

test('the highest point is that of the values shown', () => {
  const [row] = sparkRows({ usd: [9, 1, 2], lines: [] }, 2)
  expect(row).toEqual({ name: 'cost', chart: '▅█', max: '$2.00' })
})

test.each([
  [0, '', '░░░░'],
  [0.5, '██', '░░'],
  [1, '████', ''],
  [7, '████', ''],
  [-1, '', '░░░░'],
  [Number.NaN, '████', ''],
])('a bar for %f', (share, full, empty) => {
  expect(barParts(share, 4)).toEqual({ full, empty })
})

test.each([
  [{ done: 1, open: 2 }, '██░░░░ 1 of 3 items done'],
  [{ done: 0, open: 1 }, '░░░░░░ 0 of 1 item done'],
  [{ done: 0, open: 0 }, '░░░░░░ 0 of 0 items done'],
])('the bar of a plan with %j', (counts, text) => {
  expect(planBarText(counts, 6)).toBe(text)
})

function one(usd: number | null, lines: number): ChartedIteration {
  return {
    end: 'success',
    usage: usd === null ? null : { usd },
    change: { files: 1, added: lines, removed: 0, commits: [] },
  }
}
