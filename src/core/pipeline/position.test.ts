import { describe, expect, test } from 'vitest'
import { initialPosition, isStageAhead, nextMove, stageKindOf, type PipelinePosition } from './position.ts'
import { loopPipeline, taskPipeline, type Pipeline, type StageResult } from './pipeline.ts'

const THREE: Pipeline = [
  { id: 'plan', kind: 'work', max: 1, on: { PASS: 'next', FIX: 'abort', FAIL: 'abort', UNKNOWN: 'abort' } },
  {
    id: 'work',
    kind: 'work',
    max: 3,
    on: { PASS: 'next', FIX: { to: 'work' }, FAIL: { to: 'plan' }, UNKNOWN: 'self' },
  },
  {
    id: 'prove',
    kind: 'prove',
    max: null,
    on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
  },
]

/** The stages that a line walks through, and how it ends. */
function walked(pipeline: Pipeline, words: StageResult[]): string[] {
  let line: PipelinePosition = initialPosition(pipeline)
  const stages = [line.at]
  for (const word of words) {
    const moved = nextMove(line, word)
    if (moved.is !== 'run') return [...stages, moved.is]
    line = moved.line
    stages.push(line.at)
  }
  return stages
}

describe('the loop', () => {
  test.each<[StageResult[], string[]]>([
    [
      ['PASS', 'PASS'],
      ['prepare', 'work', 'prove'],
    ],
    [
      ['PASS', 'PASS', 'PASS'],
      ['prepare', 'work', 'prove', 'end'],
    ],
    [
      ['PASS', 'PASS', 'FIX', 'PASS', 'FIX', 'PASS', 'PASS'],
      ['prepare', 'work', 'prove', 'work', 'prove', 'work', 'prove', 'end'],
    ],
    [
      ['PASS', 'FAIL'],
      ['prepare', 'work', 'abort'],
    ],
    [
      ['PASS', 'PASS', 'FAIL'],
      ['prepare', 'work', 'prove', 'abort'],
    ],
  ])('%j: %j', (words, stages) => {
    expect(walked(loopPipeline({ review: false }), words)).toEqual(stages)
  })

  test.each<[StageResult[], string]>([
    [['PASS', 'PASS', 'PASS'], 'review'],
    [['PASS', 'PASS', 'PASS', 'PASS'], 'end'],
    [['PASS', 'PASS', 'PASS', 'FIX'], 'work'],
    [['PASS', 'PASS', 'PASS', 'UNKNOWN'], 'prove'],
  ])('with a review, %j leads to %s', (words, stage) => {
    expect(walked(loopPipeline({ review: true }), words).at(-1)).toBe(stage)
    expect(walked(taskPipeline(3, { review: true }), words).at(-1)).toBe(stage)
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
    const moved = nextMove({ ...initialPosition(THREE), at: 'prove', visits: { plan: 1, work: 1, prove: 1 } }, 'FIX')
    expect(moved).toMatchObject({ line: { at: 'work', visits: { plan: 1, work: 2, prove: 1 } } })
  })

  test('a stage that is not there ends the job', () => {
    expect(nextMove({ ...initialPosition(THREE), at: 'gone', visits: {} }, 'PASS')).toEqual({
      is: 'abort',
      why: 'there is no stage gone',
    })
    const broken: Pipeline = [{ ...THREE[0], on: { ...THREE[0].on, PASS: { to: 'gone' } } }]
    expect(nextMove(initialPosition(broken), 'PASS').is).toBe('abort')
  })
})

test('a line knows the kind of its stage, and which kinds come later', () => {
  const line = { ...initialPosition(loopPipeline({ review: true })), at: 'prove' }
  expect(stageKindOf({ line })).toBe('prove')
  expect([isStageAhead({ line }, 'review'), isStageAhead({ line }, 'prove'), isStageAhead({ line }, 'work')]).toEqual([
    true,
    false,
    false,
  ])
  expect([stageKindOf({ line: null }), isStageAhead({ line: null }, 'review')]).toEqual([null, false])
})

test('the result of a stage is the input of the next one', () => {
  const result = { completion: { is: 'plan_complete' as const, why: 'every box' } }
  const moved = nextMove({ ...initialPosition(THREE), at: 'work' }, 'PASS', result)
  expect(moved).toMatchObject({ is: 'run', line: { at: 'prove', input: result } })
})
