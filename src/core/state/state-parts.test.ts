import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { playRun, startedRun, workerAt } from '../../../test/kit/core.ts'
import type { WorkerId } from '../ids.ts'
import type { RunState } from './state.ts'
import { changedParts, joinState, removedParts, type StatePartName } from './state-parts.ts'
import { step } from '../run/step.ts'

const throughText = (state: RunState): unknown => {
  const texts = [...changedParts(state, null)].map(([name, value]) => [name, JSON.stringify(value)] as const)
  // Whoever keeps them gives them back in an order of his own.
  const read = texts.toReversed().map(([name, text]) => [name, JSON.parse(text) as unknown] as const)
  return joinState(new Map(read))
}

const name = fc.oneof(fc.nat(20).map(String), fc.string({ minLength: 1, maxLength: 4 }))
const anything = fc.jsonValue({ maxDepth: 2 })

/** Shapes change; the seams do not: a run with rules and open effects, workers by their ids, and whatever else. */
const states = fc
  .record({
    workers: fc.dictionary(name, fc.record({ id: name, phase: anything })),
    effects: fc.dictionary(name, fc.record({ worker: name, type: anything })),
    rules: fc.record({ some: anything }),
    further: anything,
  })
  .map(({ workers, effects, rules, further }) => {
    const ids = Object.keys(workers)
    const open = Object.entries(effects).map(([id, effect], i) => [
      id,
      // Most belong to a worker that is there.
      { ...effect, worker: i % 4 === 0 ? effect.worker : (ids[i % ids.length] ?? effect.worker) },
    ])
    const run = { id: 'r1', rules, next: 1, open: Object.fromEntries(open) as object, further }
    return { run, workers, further } as unknown as RunState
  })

describe('a state in parts', () => {
  test('is the same state again, field by field and in their order', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(JSON.stringify(throughText(state))).toBe(JSON.stringify(state))
      }),
    )
  })

  test('is so after every row of a night', () => {
    let state: RunState | null = null
    for (const row of playRun([{}, { files: 2 }, { done: true, green: true }])) {
      state = step(state, row.event, row).state
      expect(JSON.stringify(throughText(state))).toBe(JSON.stringify(state))
    }
  })

  test('that a part is called the same is true', () => {
    let before: RunState | null = null
    let same = 0
    for (const row of playRun([{}, { files: 2 }, { done: true, green: true }])) {
      const { state }: { state: RunState } = step(before, row.event, row)
      const then = before === null ? new Map() : changedParts(before, null)
      const changed = changedParts(state, before)
      for (const [part, value] of changedParts(state, null)) {
        if (changed.has(part)) {
          expect(changed.get(part)).toEqual(value)
          continue
        }
        same += 1
        expect(value).toEqual(then.get(part))
      }
      before = state
    }
    expect(same).toBeGreaterThan(0)
  })
})

describe('what is kept where', () => {
  const three = startedRun({ workers: 3 })
  const [run, workers] = [three.state.run, three.state.workers]

  test('the rules, the run without what its workers asked for, and each worker with that', () => {
    const stray = { ...Object.values(run.open)[0], id: 'e9', worker: '7' } as RunState['run']['open'][string]
    const state: RunState = { run: { ...run, open: { ...run.open, e9: stray } }, workers }
    const { rules, open } = run
    expect(Object.fromEntries(changedParts(state, null))).toEqual({
      rules,
      run: {
        run: { ...run, rules: null, open: { e1: '1', e2: '2', e3: '3', e9: stray } },
        workers: ['1', '2', '3'],
      },
      'worker:1': { worker: workers['1'], open: { e1: open['e1'] } },
      'worker:2': { worker: workers['2'], open: { e2: open['e2'] } },
      'worker:3': { worker: workers['3'], open: { e3: open['e3'] } },
    })
  })

  const of = (worker: WorkerId): StatePartName => `worker:${worker}`
  const [first] = Object.values(run.open)
  const asked = { ...first, id: 'e9' } as RunState['run']['open'][string]

  test.each<[what: string, now: RunState, changed: StatePartName[]]>([
    ['nothing', three.state, []],
    ['a run that is made anew and says the same', { ...three.state, run: { ...run } }, ['run']],
    ['the rules', { ...three.state, run: { ...run, rules: { ...run.rules } } }, ['rules', 'run']],
    ['a worker', { run, workers: { ...workers, '2': { ...workerAt(three, '2'), busy: 1 } } }, [of('2')]],
    ['what one asked for', { ...three.state, run: { ...run, open: { ...run.open, e9: asked } } }, ['run', of('1')]],
    [
      'one asked for something else',
      { ...three.state, run: { ...run, open: { ...run.open, e1: asked } } },
      ['run', of('1')],
    ],
    [
      'what is open, made anew with the same in it',
      { ...three.state, run: { ...run, open: { ...run.open } } },
      ['run'],
    ],
    ['a worker fewer', { run, workers: { '1': workerAt(three, '1'), '2': workerAt(three, '2') } }, ['run']],
    ['the same workers in a new table', { run, workers: { ...workers } }, []],
    ['a new field of the house', { ...three.state, more: 1 } as RunState, ['run']],
  ])('%s', (_, now, changed) => {
    expect([...changedParts(now, three.state).keys()]).toEqual(changed)
  })

  test.each<[what: string, workers: RunState['workers'], gone: StatePartName[]]>([
    ['none', workers, []],
    ['none, in a new table', { ...workers }, []],
    ['one', { '1': workerAt(three, '1'), '3': workerAt(three, '3') }, [of('2')]],
    ['all', {}, [of('1'), of('2'), of('3')]],
    ['none; one came', { ...workers, '4': workerAt(three, '1') }, []],
  ])('parts of workers that are no more: %s', (_, now, gone) => {
    expect(removedParts({ run, workers: now }, three.state)).toEqual(gone)
  })
})
