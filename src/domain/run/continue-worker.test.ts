/** Where the result of a stage leads: to the next one, or to the end of the job. */
import { expect, test } from 'vitest'
import { finishStage, proceed, type StageResult } from '../pipeline/finish-stage.ts'
import { beginLine, type Line } from '../pipeline/position.ts'
import { loopPipeline, type StageKind, type Word } from '../pipeline/pipeline.ts'
import type { StageModule, StageTable } from '../pipeline/stage.ts'
import { EVENING, workerAt, working } from '../../../test/kit/core.ts'
import { followHandovers } from './continue-worker.ts'
import { beginStep, type Course } from '../state/context.ts'

const BEGINNING = beginLine(loopPipeline({ review: false }))
const WORK: Line = { ...BEGINNING, at: 'work', visits: { prepare: 1, work: 1 } }
const PROVE: Line = { ...BEGINNING, at: 'prove', visits: { prepare: 1, work: 1, prove: 1 } }

/** Stages that note how they begin. */
function stagesThat(begin: StageModule['begin'], kind: StageKind): StageModule {
  return { kind, phases: [], begin, on: {}, abort: () => undefined, describe: () => kind }
}

function at(line: Line, begin: (kind: StageKind, course: Course, entered?: StageResult) => void): Course {
  const moment = working()
  const workers = { '1': { ...workerAt(moment), line } }
  const kinds: StageKind[] = ['prepare', 'work', 'prove']
  const stages: StageTable = Object.fromEntries(
    kinds.map((kind) => [kind, stagesThat((course, _, entered) => begin(kind, course, entered), kind)]),
  )
  return beginStep({ ...moment.house, workers }, { at: EVENING, up: 0 }, stages)
}

test.each<[line: Line, word: Word, stage: StageKind, visits: Line['visits']]>([
  [WORK, 'PASS', 'prove', { prepare: 1, work: 1, prove: 1 }],
  [PROVE, 'FIX', 'work', { prepare: 1, work: 2, prove: 1 }],
])('from %j, %s leads on', (line, word, stage, visits) => {
  const begun: [StageKind, StageResult | undefined][] = []
  const course = at(line, (kind, _, entered) => begun.push([kind, entered]))
  finishStage(course, '1', word)
  followHandovers(course)
  expect(begun).toEqual([[stage, {}]])
  expect(course.house.workers['1']).toMatchObject({ line: { at: stage, visits }, phase: { is: 'working' } })
  expect(course.handovers).toEqual([])
})

const COMPLETION: StageResult = { completion: { is: 'project_complete', why: 'it said so' } }

test.each<[line: Line, word: Word, result: StageResult, outcome: object]>([
  [WORK, 'FAIL', {}, { is: 'failed', reason: 'work says FAIL' }],
  [WORK, 'FIX', {}, { is: 'failed', reason: 'work says FIX' }],
  [
    WORK,
    'FAIL',
    { ending: { is: 'breaker', why: 'nothing moved' } },
    { is: 'breaker', reason: 'nothing moved' },
  ],
  [PROVE, 'PASS', {}, { is: 'failed', reason: 'the pipeline is at its end' }],
  [PROVE, 'PASS', COMPLETION, { is: 'failed', reason: 'the pipeline is at its end' }],
  [
    PROVE,
    'PASS',
    { ending: { is: 'plan_complete', why: 'every box', verdict: 'proven' } },
    { is: 'plan_complete', reason: 'every box', verdict: 'proven' },
  ],
])('from %j, %s with %j ends the job', (line, word, result, outcome) => {
  const begun: StageKind[] = []
  const course = at(line, (kind) => begun.push(kind))
  finishStage(course, '1', word, result)
  followHandovers(course)
  expect(begun).toEqual([])
  expect(course.house.workers['1']).toMatchObject({ line, phase: { is: 'finished', outcome } })
})

test('results are followed in their order, and a stage that begins may finish at once', () => {
  const begun: StageKind[] = []
  const course = at(WORK, (kind, on) => {
    begun.push(kind)
    if (begun.length < 4) finishStage(on, '1', kind === 'prove' ? 'FIX' : 'PASS')
  })
  finishStage(course, '1', 'PASS', COMPLETION)
  followHandovers(course)
  expect(begun).toEqual(['prove', 'work', 'prove', 'work'])
})

test('a worker that proceeds is begun once, and its stage is told that it continues', () => {
  const begun: (StageResult | undefined)[] = []
  const course = at(WORK, (_kind, _course, entered) => begun.push(entered))
  proceed(course, '1')
  proceed(course, '1')
  followHandovers(course)
  expect(begun).toEqual([undefined])
})
