import { expect, test } from 'vitest'
import { firstWorker, focusedWorker } from './focused-worker.ts'
import type { Activity } from './activity.ts'
import type { WorkerView } from './run-view.ts'

function worker(id: string, is: Activity['is']): WorkerView {
  return { id, activity: { is, since: 0 } } as WorkerView
}

test.each<[activity: Record<string, Activity['is']>, shown: string | undefined]>([
  [{}, undefined],
  [{ 1: 'ended' }, '1'],
  [{ 7: 'working' }, '7'],
  [{ 1: 'working', 2: 'working' }, '1'],
  [{ 1: 'waiting', 2: 'working', 3: 'working' }, '2'],
  [{ 10: 'measuring', 9: 'paused', 8: 'ended' }, '10'],
  [{ 10: 'waiting', 9: 'waiting' }, '9'],
])('of %j worker %s is shown', (activity, shown) => {
  const workers = Object.fromEntries(Object.entries(activity).map(([id, is]) => [id, worker(id, is)]))
  expect(focusedWorker({ workers })?.id).toBe(shown)
})

test('the first is the first by number', () => {
  expect([firstWorker({ w: 1 }), firstWorker({ 10: 'ten', 9: 'nine' }), firstWorker({})]).toEqual([
    1,
    'nine',
    undefined,
  ])
})
