/** Where the result of a stage leads: to the next one, or to the end of the job. */
import { expect, test } from 'vitest'
import { finishStage, continueWorker, type StageOutput } from '../pipeline/finish-stage.ts'
import { initialPosition, type PipelinePosition } from '../pipeline/position.ts'
import { loopPipeline, type StageKind, type StageResult } from '../pipeline/pipeline.ts'
import type { StageModule, StageTable } from '../pipeline/stage.ts'
import { START_TIME, workerAt, working } from '../../../test/kit/core.ts'
import { processHandovers } from './process-handovers.ts'
import { createStepContext, type StepContext } from '../state/context.ts'

const BEGINNING = initialPosition(loopPipeline({ review: false }))
const WORK: PipelinePosition = { ...BEGINNING, at: 'work', visits: { prepare: 1, work: 1 } }
const PROVE: PipelinePosition = { ...BEGINNING, at: 'prove', visits: { prepare: 1, work: 1, prove: 1 } }

/** Stages that note how they begin. */
function stagesThat(begin: StageModule['begin'], kind: StageKind): StageModule {
  return { kind, phases: [], begin, on: {}, abort: () => undefined, describe: () => kind }
}

function at(
  line: PipelinePosition,
  begin: (kind: StageKind, ctx: StepContext, entered?: StageOutput) => void,
): StepContext {
  const moment = working()
  const workers = { '1': { ...workerAt(moment), line } }
  const kinds: StageKind[] = ['prepare', 'work', 'prove']
  const stages: StageTable = Object.fromEntries(
    kinds.map((kind) => [kind, stagesThat((ctx, _, entered) => begin(kind, ctx, entered), kind)]),
  )
  return createStepContext({ ...moment.state, workers }, { at: START_TIME, up: 0 }, stages)
}

test.each<[line: PipelinePosition, word: StageResult, stage: StageKind, visits: PipelinePosition['visits']]>([
  [WORK, 'PASS', 'prove', { prepare: 1, work: 1, prove: 1 }],
  [PROVE, 'FIX', 'work', { prepare: 1, work: 2, prove: 1 }],
])('from %j, %s leads on', (line, word, stage, visits) => {
  const begun: [StageKind, StageOutput | undefined][] = []
  const ctx = at(line, (kind, _, entered) => begun.push([kind, entered]))
  finishStage(ctx, '1', word)
  processHandovers(ctx)
  expect(begun).toEqual([[stage, {}]])
  expect(ctx.state.workers['1']).toMatchObject({ line: { at: stage, visits }, phase: { is: 'working' } })
  expect(ctx.handovers).toEqual([])
})

const COMPLETION: StageOutput = { completion: { is: 'project_complete', why: 'it said so' } }

test.each<[line: PipelinePosition, word: StageResult, result: StageOutput, outcome: object]>([
  [WORK, 'FAIL', {}, { is: 'failed', reason: 'stage work ended with FAIL' }],
  [WORK, 'FIX', {}, { is: 'failed', reason: 'stage work ended with FIX' }],
  [WORK, 'FAIL', { ending: { is: 'breaker', why: 'nothing moved' } }, { is: 'breaker', reason: 'nothing moved' }],
  [PROVE, 'PASS', {}, { is: 'failed', reason: 'the pipeline has no further stage' }],
  [PROVE, 'PASS', COMPLETION, { is: 'failed', reason: 'the pipeline has no further stage' }],
  [
    PROVE,
    'PASS',
    { ending: { is: 'plan_complete', why: 'every box', verdict: 'proven' } },
    { is: 'plan_complete', reason: 'every box', verdict: 'proven' },
  ],
])('from %j, %s with %j ends the job', (line, word, result, outcome) => {
  const begun: StageKind[] = []
  const ctx = at(line, (kind) => begun.push(kind))
  finishStage(ctx, '1', word, result)
  processHandovers(ctx)
  expect(begun).toEqual([])
  expect(ctx.state.workers['1']).toMatchObject({ line, phase: { is: 'finished', outcome } })
})

test('results are followed in their order, and a stage that begins may finish at once', () => {
  const begun: StageKind[] = []
  const ctx = at(WORK, (kind, on) => {
    begun.push(kind)
    if (begun.length < 4) finishStage(on, '1', kind === 'prove' ? 'FIX' : 'PASS')
  })
  finishStage(ctx, '1', 'PASS', COMPLETION)
  processHandovers(ctx)
  expect(begun).toEqual(['prove', 'work', 'prove', 'work'])
})

test('a worker that proceeds is begun once, and its stage is told that it continues', () => {
  const begun: (StageOutput | undefined)[] = []
  const ctx = at(WORK, (_kind, _course, entered) => begun.push(entered))
  continueWorker(ctx, '1')
  continueWorker(ctx, '1')
  processHandovers(ctx)
  expect(begun).toEqual([undefined])
})
