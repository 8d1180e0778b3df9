/** A stage that nobody knows: a module, its row in the registry and its place in a pipeline are all it takes. */
import { describe, expect, test } from 'vitest'
import { abortRunningEffect } from '../pipeline/abort-effect.ts'
import { finishStage } from '../pipeline/finish-stage.ts'
import type { Pipeline, Stage, StageKind } from '../pipeline/pipeline.ts'
import type { StageModule, StageTable } from '../pipeline/stage.ts'
import { hasPassed } from '../proof/verdict.ts'
import { STAGES } from '../stages/stages.ts'
import { answerTo, startedRun, START_TIME, type AgentTurn } from '../../../test/kit/core.ts'
import type { Effect } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import type { RunState, WorkerPhase } from '../state/state.ts'
import { stepWithStages } from './step.ts'
import { requestEffect, enterPhase, workerOf } from '../state/context.ts'

const KIND = 'tidy' as StageKind
const PHASE = 'tidying' as WorkerPhase['is']

/** Runs one command after the work; if it fails, the work goes on. */
const TIDY: StageModule = {
  kind: KIND,
  phases: [PHASE],
  begin(ctx, id) {
    const effect = requestEffect(ctx, {
      type: 'run-gate',
      worker: id,
      gate: { name: 'tidy', run: 'npm run tidy', timeoutMs: 1, when: 'completion', cwd: '.', env: {} },
      iteration: workerOf(ctx, id).iteration,
      tree: null,
      purpose: 'completion',
    })
    enterPhase(ctx, id, { is: PHASE, effect } as WorkerPhase)
  },
  on: {
    'gate-ended'(ctx, event) {
      const { line } = workerOf(ctx, event.worker)
      if (hasPassed(event.evidence)) finishStage(ctx, event.worker, 'PASS', line?.input)
      else finishStage(ctx, event.worker, 'FIX', { again: { because: 'it is not tidy', judged: true } })
    },
  },
  abort: abortRunningEffect,
  describe: () => 'tidying up',
}

const TIDY_STAGE: Stage = {
  id: 'tidy',
  kind: KIND,
  max: null,
  on: { PASS: 'next', FIX: { to: 'work' }, FAIL: 'abort', UNKNOWN: 'abort' },
}

const TABLE = { ...STAGES, [KIND]: TIDY } as StageTable

/** A loop whose pipeline is prepare → work → tidy → prove. */
function tidyLoop(): { state: RunState; effects: Effect[] } {
  const { state, effects } = startedRun({
    rules: (usual) => ({ ...usual, gates: [], exit: { ...usual.exit, confirm: 1 } }),
  })
  const worker = state.workers['1']
  if (worker?.line == null) throw new Error('the loop has no pipeline')
  const [prepare, work, ...rest] = worker.line.stages
  const stages = [prepare, work, TIDY_STAGE, ...rest] as unknown as Pipeline
  return { state: { ...state, workers: { '1': { ...worker, line: { ...worker.line, stages } } } }, effects }
}

const NO_PLAN: NonNullable<AgentTurn['look']> = { checkboxes: null, nextCheckbox: null }

/** Plays the turns to the end of the run; the stages that the worker was at, in their order. */
function play(turns: AgentTurn[], meet?: (effect: Effect) => Event | null): { state: RunState; stages: string[] } {
  let { state, effects } = tidyLoop()
  const stages: string[] = []
  const queue = [...effects]
  let turn = -1
  for (let effect = queue.shift(); effect !== undefined; effect = queue.shift()) {
    if (effect.type === 'run-agent') turn += 1
    const now = { at: START_TIME + stages.length, up: stages.length }
    const event = meet?.(effect) ?? answerTo(effect, { look: NO_PLAN, ...turns[Math.max(turn, 0)] }, turn)
    ;({ state, effects } = stepWithStages(TABLE, state, event, now))
    queue.push(...effects)
    const at = state.workers['1']?.line?.at ?? ''
    if (stages.at(-1) !== at) stages.push(at)
    if (stages.length > 50) throw new Error('the run does not end')
  }
  return { state, stages }
}

describe('a loop with a stage of its own', () => {
  test('goes through it to the end', () => {
    const { state, stages } = play([{ done: true, files: 1, green: true }])
    expect(stages).toEqual(['work', 'tidy', 'prove'])
    expect(state.run).toMatchObject({ is: 'ended', outcome: { is: 'project_complete' } })
  })

  test('goes back to work when it asks for that', () => {
    const { state, stages } = play([
      { done: true, files: 1, green: false },
      { done: true, files: 1, green: true },
    ])
    expect(stages).toEqual(['work', 'tidy', 'work', 'tidy', 'prove'])
    expect(state.run.outcome).toMatchObject({ is: 'project_complete' })
  })

  test('ends when a person stops it there', () => {
    const stop: Event = {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'stop', now: true },
    }
    let asked: Effect | null = null
    const { state } = play([{ done: true, files: 1 }], (effect) => {
      if (effect.type === 'run-gate') {
        asked = effect
        return stop
      }
      if (effect.type !== 'abort' || asked === null) return null
      return { type: 'effect-lost', worker: asked.worker, effect: asked.id }
    })
    expect(state.run.outcome).toMatchObject({ is: 'stopped' })
  })

  test('says what it does', () => {
    const { state } = tidyLoop()
    const [worker] = Object.values(state.workers)
    expect(Object.values(TABLE).map((stage) => worker && stage.describe(worker))).toEqual([
      'preparing the proof',
      'working on iteration 0',
      'proving the completion',
      'reviewing the completion',
      'drafting prepare',
      'tidying up',
    ])
  })
})
