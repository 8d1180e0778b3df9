/** What is asked of a worker: the run's wish and its own, the stronger of both. */
import { expect, test } from 'vitest'
import type { Run, Worker } from '../state/state.ts'
import { createStepContext } from '../state/context.ts'
import { START_TIME, workerAt, working } from '../../../test/kit/core.ts'
import { mayContinue, isStopping, directiveOf, type WorkerDirective } from './worker-directive.ts'

const ALONE = { pause: { is: 'pause', why: 'look at it' }, stop: { is: 'stop', why: 'enough' } } as const

test.each<[run: Pick<Run, 'is' | 'why'>, told: Worker['told'], order: WorkerDirective]>([
  [{ is: 'going', why: null }, null, { is: 'go' }],
  [{ is: 'going', why: null }, ALONE.pause, ALONE.pause],
  [{ is: 'going', why: null }, ALONE.stop, ALONE.stop],
  [{ is: 'pausing', why: 'lunch' }, null, { is: 'pause', why: 'lunch' }],
  [{ is: 'paused', why: 'lunch' }, null, { is: 'pause', why: 'lunch' }],
  [{ is: 'paused', why: null }, null, { is: 'pause', why: 'a pause was requested' }],
  [{ is: 'pausing', why: 'lunch' }, ALONE.pause, { is: 'pause', why: 'lunch' }],
  [{ is: 'pausing', why: 'lunch' }, ALONE.stop, ALONE.stop],
  [{ is: 'paused', why: 'lunch' }, ALONE.stop, ALONE.stop],
  [{ is: 'leaving', why: 'no network' }, null, { is: 'suspend', why: 'no network' }],
  [{ is: 'left', why: 'no network' }, null, { is: 'suspend', why: 'no network' }],
  [{ is: 'left', why: null }, null, { is: 'suspend', why: 'you quit the run' }],
  [{ is: 'leaving', why: 'no network' }, ALONE.pause, { is: 'suspend', why: 'no network' }],
  [{ is: 'leaving', why: 'no network' }, ALONE.stop, ALONE.stop],
  [{ is: 'left', why: 'no network' }, ALONE.stop, ALONE.stop],
  [{ is: 'stopping', why: 'by ann' }, null, { is: 'stop', why: 'by ann' }],
  [{ is: 'stopping', why: null }, null, { is: 'stop', why: 'a stop was requested' }],
  [{ is: 'stopping', why: 'by ann' }, ALONE.stop, { is: 'stop', why: 'by ann' }],
  [{ is: 'ended', why: 'by ann' }, ALONE.pause, { is: 'stop', why: 'by ann' }],
])('the run is %j and the worker told %j: %j', (run, told, order) => {
  const moment = working()
  const ctx = createStepContext(
    {
      run: { ...moment.state.run, ...run },
      workers: { '1': { ...workerAt(moment), told } },
    },
    { at: START_TIME, up: 0 },
  )
  expect(directiveOf(ctx, '1')).toEqual(order)
  expect([mayContinue(ctx, '1'), isStopping(ctx, '1')]).toEqual([order.is === 'go', order.is === 'stop'])
})
