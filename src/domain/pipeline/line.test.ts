import { describe, expect, test } from 'vitest'
import { beginLine, move, type Line } from './line.ts'
import { CLASSIC, type Pipeline, type Word } from './pipeline.ts'

const THREE: Pipeline = [
  { id: 'plan', deed: 'work', max: 1, on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' } },
  {
    id: 'work',
    deed: 'work',
    max: 3,
    on: { PASS: 'next', FIX: { to: 'work' }, FAIL: { to: 'plan' }, UNKNOWN: 'self' },
  },
  {
    id: 'prove',
    deed: 'prove',
    max: null,
    on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
  },
]

/** The stages that a line walks through, and how it ends. */
function walked(pipeline: Pipeline, words: Word[]): string[] {
  let line: Line = beginLine(pipeline)
  const stages = [line.at]
  for (const word of words) {
    const moved = move(pipeline, line, word)
    if (moved.is !== 'run') return [...stages, moved.is]
    line = moved.line
    stages.push(line.at)
  }
  return stages
}

describe('the classic loop', () => {
  test.each<[Word[], string[]]>([
    [['PASS'], ['work', 'prove']],
    [
      ['PASS', 'PASS'],
      ['work', 'prove', 'end'],
    ],
    [
      ['PASS', 'FIX', 'PASS', 'FIX', 'PASS', 'PASS'],
      ['work', 'prove', 'work', 'prove', 'work', 'prove', 'end'],
    ],
    [['FAIL'], ['work', 'abort']],
    [
      ['PASS', 'FAIL'],
      ['work', 'prove', 'abort'],
    ],
  ])('%j: %j', (words, stages) => {
    expect(walked(CLASSIC, words)).toEqual(stages)
  })
})

describe('a longer one', () => {
  test('a stage is entered as often as it may, and no more', () => {
    expect(walked(THREE, ['PASS', 'FIX', 'FIX'])).toEqual(['plan', 'work', 'work', 'work'])
    expect(walked(THREE, ['PASS', 'FIX', 'FIX', 'FIX']).at(-1)).toBe('abort')
    // Whoever sends it back counts the same.
    expect(walked(THREE, ['PASS', 'PASS', 'FIX', 'PASS', 'FIX', 'PASS', 'FIX']).at(-1)).toBe('abort')
    expect(walked(THREE, ['PASS', 'FAIL']).at(-1)).toBe('abort')
  })

  test('visits are counted', () => {
    const moved = move(THREE, { at: 'prove', visits: { plan: 1, work: 1, prove: 1 } }, 'FIX')
    expect(moved).toMatchObject({ line: { at: 'work', visits: { plan: 1, work: 2, prove: 1 } } })
  })

  test('a stage that is not there ends the job', () => {
    expect(move(THREE, { at: 'gone', visits: {} }, 'PASS')).toEqual({
      is: 'abort',
      why: 'there is no stage gone',
    })
    const broken: Pipeline = [{ ...THREE[0], on: { ...THREE[0].on, PASS: { to: 'gone' } } }]
    expect(move(broken, beginLine(broken), 'PASS').is).toBe('abort')
  })
})
