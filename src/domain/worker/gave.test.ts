/** Where the word of a stage leads: to the next one, or to the end of the job. */
import { expect, test } from 'vitest'
import type { Line } from '../pipeline/line.ts'
import type { Word } from '../pipeline/pipeline.ts'
import { beginStep, type Course } from '../run/step-so-far.ts'
import { EVENING, workerAt, working } from '../../../test/kit/core.ts'
import { followLines, gave, type Given, type Said } from './gave.ts'

const WORK: Line = { at: 'work', visits: { work: 1 } }
const PROVE: Line = { at: 'prove', visits: { work: 1, prove: 1 } }

function at(line: Line): Course {
  const moment = working()
  const workers = { '1': { ...workerAt(moment), line } }
  return beginStep({ ...moment.house, workers }, { at: EVENING, up: 0 })
}

/** The stages that were begun; nothing more is said by any of them. */
function follow(course: Course): [stage: string, given: Given][] {
  const begun: [string, Given][] = []
  followLines(course, ({ id }, given) => void begun.push([id, given]))
  return begun
}

test.each<[line: Line, word: Word, stage: string, visits: Line['visits']]>([
  [WORK, 'PASS', 'prove', { work: 1, prove: 1 }],
  [PROVE, 'FIX', 'work', { work: 2, prove: 1 }],
])('from %j, %s leads on', (line, word, stage, visits) => {
  const course = at(line)
  gave(course, '1', word)
  expect(follow(course)).toEqual([[stage, { worker: '1', word, said: null }]])
  expect(course.house.workers['1']).toMatchObject({ line: { at: stage, visits }, phase: { is: 'working' } })
  expect(course.given).toEqual([])
})

const COMPLETION: Said = { completion: { is: 'project_complete', why: 'it said so' } }

test.each<[line: Line, word: Word, said: Said, outcome: object]>([
  [WORK, 'FAIL', null, { is: 'failed', reason: 'work says FAIL' }],
  [WORK, 'FIX', null, { is: 'failed', reason: 'work says FIX' }],
  [
    WORK,
    'FAIL',
    { ending: { is: 'breaker', why: 'nothing moved' } },
    { is: 'breaker', reason: 'nothing moved' },
  ],
  [PROVE, 'PASS', null, { is: 'failed', reason: 'the pipeline is at its end' }],
  [PROVE, 'PASS', COMPLETION, { is: 'failed', reason: 'the pipeline is at its end' }],
  [
    PROVE,
    'PASS',
    { ending: { is: 'plan_complete', why: 'every box', verdict: 'proven' } },
    { is: 'plan_complete', reason: 'every box', verdict: 'proven' },
  ],
])('from %j, %s with %j ends the job', (line, word, said, outcome) => {
  const course = at(line)
  gave(course, '1', word, said)
  expect(follow(course)).toEqual([])
  expect(course.house.workers['1']).toMatchObject({ line, phase: { is: 'finished', outcome } })
})

test('words are followed in the order in which they were given, and a stage that is begun may give the next at once', () => {
  const course = at(WORK)
  gave(course, '1', 'PASS', COMPLETION)
  const begun: string[] = []
  followLines(course, ({ id }) => {
    begun.push(id)
    if (begun.length < 4) gave(course, '1', id === 'prove' ? 'FIX' : 'PASS')
  })
  expect(begun).toEqual(['prove', 'work', 'prove', 'work'])
})
