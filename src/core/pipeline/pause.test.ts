/** Workers that stand still, and what they must look at again afterwards. */
import { describe, expect, test } from 'vitest'
import type { WorkerPhase, Run, Worker } from '../state/state.ts'
import { createStepContext, type StepContext } from '../state/context.ts'
import { START_TIME, workerAt, working } from '../../../test/kit/core.ts'
import { suspendRun, pauseWorker, pauseWithRun } from './pause.ts'
import { invalidateSnapshot, requestWait, requestWaitFor, requestWaitUntil } from './wait.ts'

const NOW = { at: START_TIME, up: 7 }
const WAITING: WorkerPhase = { is: 'waiting', effect: 'e9', until: START_TIME + 1, why: 'a limit' }
const WORKING: WorkerPhase = { is: 'working', effect: 'e8', agent: 'claude', aborting: null }

/** Workers in these phases; each of them has just seen its tree. */
function ctx(phases: WorkerPhase[], run: Partial<Run> = {}): StepContext {
  const moment = working()
  const one = workerAt(moment)
  const workers = phases.map((phase, i): [string, Worker] => [
    String(i + 1),
    { ...one, id: String(i + 1), phase, seen: { tree: 't', head: 'h', fresh: true, plan: null } },
  ])
  return createStepContext(
    { run: { ...moment.state.run, next: 20, open: {}, ...run }, workers: Object.fromEntries(workers) },
    NOW,
  )
}

function phases({ state }: StepContext): WorkerPhase[] {
  return Object.values(state.workers).map(({ phase }) => phase)
}

function fresh({ state }: StepContext): (boolean | undefined)[] {
  return Object.values(state.workers).map(({ seen }) => seen?.fresh)
}

describe('a pause', () => {
  test('of the last one who works is a pause of the run', () => {
    const alone = ctx([WORKING])
    pauseWorker(alone, '1', 'look at it')
    expect(phases(alone)).toEqual([{ is: 'paused', why: 'look at it' }])
    expect(alone.state.run).toMatchObject({ is: 'paused', why: 'look at it' })
    expect(alone.decisions).toEqual([{ by: 'loop', what: 'pause', why: 'look at it', worker: '1' }])
    expect(fresh(alone)).toEqual([false])
  })

  test('of one among others leaves them alone', () => {
    const two = ctx([WORKING, WORKING])
    pauseWorker(two, '1', 'look at it')
    expect(phases(two)).toEqual([{ is: 'paused', why: 'look at it' }, WORKING])
    expect(two.state.run).toMatchObject({ is: 'going', why: null })
    expect(fresh(two)).toEqual([false, true])
  })
})

describe('a run that is left', () => {
  test('who waits steps aside, who works finishes first', () => {
    const three = ctx([WORKING, WAITING, WORKING])
    suspendRun(three, '1', 'no network')
    const sideCall = { is: 'paused', why: 'no network' }
    expect(phases(three)).toEqual([sideCall, sideCall, WORKING])
    expect(fresh(three)).toEqual([false, false, true])
    expect(three.state.run).toMatchObject({ is: 'leaving', why: 'no network' })
    expect(three.effects).toEqual([])
    expect(three.decisions).toEqual([{ by: 'retry', what: 'suspend', why: 'no network; the run stays unfinished' }])
  })

  test('when nobody works any more, it is left once, and says why', () => {
    const two = ctx([WORKING, WAITING])
    suspendRun(two, '1', 'no network')
    expect(two.effects).toMatchObject([
      {
        type: 'suspend-run',
        worker: '1',
        outcome: { is: 'outage', reason: 'no network', verdict: 'unproven' },
      },
    ])
    expect(phases(two).map(({ is }) => is)).toEqual(['paused', 'paused'])
  })

  test('a worker that steps aside says what the run says', () => {
    const [said, unsaid] = [ctx([WORKING], { is: 'leaving', why: 'no network' }), ctx([WORKING])]
    pauseWithRun(said, '1')
    pauseWithRun(unsaid, '1')
    expect([...phases(said), ...phases(unsaid)]).toEqual([
      { is: 'paused', why: 'no network' },
      { is: 'paused', why: 'you quit the run' },
    ])
  })
})

describe('a wait', () => {
  test('until an instant', () => {
    const one = ctx([WORKING])
    requestWaitUntil(one, '1', START_TIME + 5_000, 'a limit')
    expect(one.effects).toEqual([
      { id: 'e20', type: 'wait', worker: '1', until: START_TIME + 5_000, forMs: null, why: 'a limit' },
    ])
    expect(phases(one)).toEqual([{ is: 'waiting', effect: 'e20', until: START_TIME + 5_000, why: 'a limit' }])
    expect(fresh(one)).toEqual([false])
  })

  test('for a while of awake time', () => {
    const one = ctx([WORKING])
    requestWaitFor(one, '1', 3_000, 'a rest')
    expect(one.effects).toEqual([
      { id: 'e20', type: 'wait', worker: '1', until: START_TIME + 3_000, forMs: 3_000, why: 'a rest' },
    ])
    expect(phases(one)).toEqual([{ is: 'waiting', effect: 'e20', until: START_TIME + 3_000, why: 'a rest' }])
  })

  test('in an outage says so', () => {
    const one = ctx([WORKING])
    const outage = { since: START_TIME, outageDeadline: START_TIME + 60_000 }
    requestWait(one, '1', { until: START_TIME + 1, forMs: 1, why: 'nobody answers', outage })
    expect(one.effects).toMatchObject([{ type: 'wait', outage }])
  })

  test('of a worker that never looked has nothing to look at again', () => {
    const one = ctx([WORKING])
    const worker = one.state.workers['1']
    if (worker === undefined) throw new Error('there is no worker 1')
    const unseen = createStepContext({ ...one.state, workers: { '1': { ...worker, seen: null } } }, NOW)
    invalidateSnapshot(unseen, '1')
    expect(unseen.state.workers['1']?.seen).toBe(null)
  })
})
