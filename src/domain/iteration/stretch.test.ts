import { describe, expect, test } from 'vitest'
import type { Effect } from '../run/effect.ts'
import type { Event } from '../run/event.ts'
import { followRun, NO_TRACE, ownDoing, type Point } from './stretch.ts'

interface Happened {
  event: Event
  effects: Effect[]
}

const at = (tree: string, more: Partial<Point> = {}): Point => ({ tree, head: 'h', branch: 'main', ...more })

let effect = 0
const asks = (why: 'start' | 'before' | 'after'): Effect => ({
  type: 'survey',
  id: `e${(effect += 1)}`,
  worker: '1',
  for: why,
  iteration: 1,
  since: null,
  sinceHead: null,
})

function look(why: 'start' | 'before' | 'after', point: Point): Happened[] {
  const survey = asks(why)
  const snapshot = { ...point, ref: null, unstored: [], busy: null }
  const answer = { worker: '1', effect: survey.id }
  return [
    { event: { type: 'remark', about: '', text: '' }, effects: [survey] },
    {
      event: { type: 'surveyed', ...answer, snapshot, change: null, boxes: null, nextBox: null },
      effects: [],
    },
  ]
}

const answer = { worker: '1', effect: 'x' }
const works: Happened = {
  event: { type: 'remark', about: '', text: '' },
  effects: [{ type: 'run-agent' } as Effect],
}
const gate: Happened = { event: { type: 'gate-ended', ...answer } as Event, effects: [] }
const pause: Happened = {
  event: { type: 'request-received', request: { id: 1, from: 'you', do: 'pause' } },
  effects: [],
}

function traceOf(...happened: Happened[][]) {
  return happened.flat().reduce(followRun, NO_TRACE)
}

describe('what a run did itself', () => {
  test('everything between the first look and the last, if nobody else did anything', () => {
    const trace = traceOf(
      look('start', at('0')),
      [works],
      look('after', at('1')),
      look('before', at('1')),
      [works],
      look('after', at('2', { head: 'i' })),
    )
    expect(ownDoing(trace)).toEqual([{ before: at('0'), after: at('2', { head: 'i' }) }])
    expect(trace.unmeasured).toBe(false)
  })

  test('not what changed between two iterations', () => {
    const trace = traceOf(
      look('start', at('0')),
      [works],
      look('after', at('1')),
      [pause],
      look('before', at('1p')),
      [works],
      look('after', at('2')),
    )
    expect(ownDoing(trace)).toEqual([
      { before: at('0'), after: at('1') },
      { before: at('1p'), after: at('2') },
    ])
  })

  test('what its gates changed belongs to it, unless the run rested meanwhile', () => {
    const to = (...between: Happened[]) =>
      ownDoing(
        traceOf(look('start', at('0')), [works], look('after', at('1')), between, look('before', at('2'))),
      )
    expect(to(gate)).toEqual([{ before: at('0'), after: at('2') }])
    expect(to(gate, pause)).toEqual([{ before: at('0'), after: at('1') }])
  })

  test('an agent that nobody measured: what the next look finds is its doing', () => {
    const trace = traceOf(look('start', at('0')), [works])
    expect([ownDoing(trace), trace.unmeasured]).toEqual([[], true])
    expect(ownDoing([...look('before', at('1'))].reduce(followRun, trace))).toEqual([
      { before: at('0'), after: at('1') },
    ])
  })

  test('commits that Ralph made are its doing, and what is staged then is not known', () => {
    const trace = traceOf(
      look('start', at('0', { index: 'i' })),
      [works],
      look('after', at('1', { index: 'j' })),
      [{ event: { type: 'committed', ...answer, sha: 'c', files: 1, problem: null }, effects: [] }],
    )
    expect(ownDoing(trace)).toEqual([{ before: at('0', { index: 'i' }), after: at('1', { head: 'c' }) }])
  })

  test('a run that changed nothing did nothing', () => {
    expect(ownDoing(traceOf(look('start', at('0')), [works], look('after', at('0'))))).toEqual([])
  })
})
