/** How a worker ends, and what its run makes of it. */
import { describe, expect, test } from 'vitest'
import {
  begun,
  openOf,
  played,
  ruled,
  send,
  until,
  workerAt,
  working,
  type Moment,
  type Turn,
} from '../../../test/kit/core.ts'
import type { Event } from '../state/event.ts'
import { exitOf, type OutcomeName } from '../state/outcome.ts'
import { agentsOf } from '../state/rules.ts'
import { someRules } from '../../../test/kit/core.ts'

const WORKS: Turn = { files: 1, boxes: { open: 3, done: 0 }, reply: { conversation: 'c1' } }
const DONE: Turn = { ...WORKS, done: true, green: true, boxes: { open: 0, done: 3 } }
const STOP: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'stop', now: false } }

function ended(moment: Moment, turn: Turn = DONE): Moment {
  return until(moment, ({ is }) => is === 'finished', turn)
}

test('a conversation goes on only where a limit cut it short', () => {
  const after = (rules: Parameters<typeof ruled>[0], turns: Turn[]): string | null => {
    let moment = working({ rules: ruled(rules) })
    for (const turn of turns) moment = played(moment, turn)
    return workerAt(until(moment, ({ is }) => is === 'finished', DONE)).conversation?.id ?? null
  }
  expect([
    after({ loop: { iterationsMax: 1 } }, [WORKS]),
    after({ budget: { usd: 0.6 } }, [WORKS]),
    after({ budget: { tokens: 1_000 } }, [WORKS]),
    after({ budget: { minutes: 1 } }, [WORKS]),
    after({}, [DONE]),
    after({ breaker: { noProgress: 1 } }, [{ ...WORKS, files: 0 }]),
  ]).toEqual(['c1', 'c1', 'c1', 'c1', null, null])
})

test('nothing stays set aside of the budget', () => {
  const moment = send(working({ rules: ruled({ budget: { usd: 5 } }) }), {
    type: 'request-received',
    request: { id: 1, from: 'ann', do: 'abandon' },
  })
  expect(moment.house.run.budget.reserved).toEqual({})
})

test('a sentence is one line', () => {
  const moment = working()
  const broken = send(moment, {
    type: 'effect-failed',
    worker: '1',
    effect: openOf(moment).id,
    problem: 'no\n  disk',
    hint: null,
  })
  expect(broken.house.run.outcome?.reason).toBe('no disk')
})

describe('what is told with the end', () => {
  const look = (uncommitted: number, more: object = {}): Turn['look'] => ({
    snapshot: {
      tree: 'tree1',
      head: 'h',
      branch: 'main',
      ref: null,
      unstored: [],
      busy: null,
      uncommitted,
      ...more,
    },
  })

  test('the next box, unless all is done', () => {
    const cut = played(working({ rules: ruled({ loop: { iterationsMax: 1 } }) }), {
      ...WORKS,
      nextBox: 'n'.repeat(300),
    })
    expect(cut.house.run.outcome?.nextBox?.length).toBe(200)
    expect(ended(played(working(), DONE)).house.run.outcome).not.toHaveProperty('nextBox')
    // A plan that lies beside tasks is not what such a run goes on with.
    const tasks = working({ tasks: [{ id: 'a' }], rules: ruled({ loop: { iterationsMax: 1 } }) })
    const limited = ended(played(tasks, { files: 1, nextBox: 'sing' }))
    expect(limited.house.run.outcome).toMatchObject({ is: 'iteration_limit' })
    expect(limited.house.run.outcome).not.toHaveProperty('nextBox')
    const none = played(working({ rules: ruled({ loop: { iterationsMax: 1 } }) }), {
      ...WORKS,
      look: { nextBox: null },
    })
    expect(none.house.run.outcome).not.toHaveProperty('nextBox')
  })

  test('what was claimed and left in no commit', () => {
    const start = until(begun(), ({ is }) => is === 'working', { look: look(1) ?? {} })
    const claim = (turn: Turn): unknown => ended(played(start, turn), turn).house.run.outcome?.uncommitted
    expect(claim({ ...DONE, look: look(3, { uncommittedPaths: ['a', 'b'] }) ?? {} })).toEqual({
      files: 3,
      before: 1,
      paths: ['a', 'b'],
    })
    expect(claim({ ...DONE, look: look(3) ?? {} })).toEqual({ files: 3, before: 1 })
    expect(claim({ ...DONE, look: look(0) ?? {} })).toBeUndefined()
    const stopped = played(send(start, STOP), { ...WORKS, look: look(3) ?? {} })
    expect(stopped.house.run.outcome).not.toHaveProperty('uncommitted')
    const ours = until(
      begun({ rules: ruled({ loop: { commit: 'iteration' } }) }),
      ({ is }) => is === 'working',
    )
    const turn: Turn = { ...DONE, look: look(3) ?? {}, commit: { sha: null, problem: 'x' } }
    expect(ended(played(ours, turn), turn).house.run.outcome).not.toHaveProperty('uncommitted')
  })

  test('settings that somebody edited', () => {
    const turn: Turn = { ...WORKS, look: { edited: ['.ralph.toml'] } }
    const moment = played(working({ rules: ruled({ loop: { iterationsMax: 1 } }) }), turn)
    expect(moment.house.run.outcome?.edited).toEqual(['.ralph.toml'])
    expect(
      played(working({ rules: ruled({ loop: { iterationsMax: 1 } }) }), WORKS).house.run.outcome,
    ).not.toHaveProperty('edited')
  })

  test('that there was nothing to do, or too little allowed', () => {
    const ticked: Turn = { boxes: { open: 0, done: 3 }, green: true }
    expect(until(begun(), ({ is }) => is === 'finished', ticked).house.run.outcome?.cause).toEqual({
      is: 'nothing-to-do',
    })
    const small = until(begun({ rules: ruled({ budget: { minutes: 0 } }) }), ({ is }) => is === 'finished')
    expect(small.house.run.outcome).toMatchObject({ is: 'time_limit', cause: { is: 'too-small' } })
    const stopped = until(send(begun(), STOP), ({ is }) => is === 'finished')
    expect(stopped.house.run.outcome).not.toHaveProperty('cause')
    const worked = played(working({ rules: ruled({ loop: { iterationsMax: 1 } }) }), WORKS)
    expect(worked.house.run.outcome).not.toHaveProperty('cause')
  })
})

test('a proof moves the base, with as many tests', () => {
  const moment = ended(played(working(), DONE))
  expect(workerAt(moment)).toMatchObject({
    base: { tree: 'w:1', from: 'proven' },
    room: { is: 'fit', tests: 3, base: 'w:1' },
  })
})

describe('of several workers', () => {
  function two(): Moment {
    let moment = begun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    return moment
  }
  const end = (moment: Moment, id: string, turn: Turn): Moment =>
    until(moment, ({ is }) => is === 'finished', turn, id)

  test('the run ends as the first that is not complete', () => {
    const broken = (moment: Moment, id: string): Moment =>
      send(moment, {
        type: 'effect-failed',
        worker: id,
        effect: openOf(moment, id).id,
        problem: 'no disk',
        hint: null,
      })
    expect(broken(end(two(), '1', DONE), '2').house.run.outcome?.is).toBe('failed')
    expect(end(broken(two(), '1'), '2', DONE).house.run.outcome?.is).toBe('failed')
    expect(end(end(two(), '1', DONE), '2', DONE).house.run.outcome).toMatchObject({
      is: 'project_complete',
      verdict: 'proven',
    })
  })

  test('it is proven only if each is', () => {
    const rules = ruled({ proof: { refusals: 1 } })
    const blind: Turn = {
      ...DONE,
      sorting: { unclear: [], wrongable: false, breakable: 0, work: 0, documents: 1 },
    }
    let moment = begun({ workers: 2, rules })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    const { outcome } = end(end(moment, '1', blind), '2', DONE).house.run
    expect(outcome?.verdict).not.toBe('proven')
  })

  test('all that is left is paused: so is the run', () => {
    const paused = played(
      send(two(), {
        type: 'request-received',
        request: { id: 1, from: 'ann', do: 'pause', to: { worker: '1' } },
      }),
      WORKS,
    )
    const last = end(paused, '2', DONE)
    expect([last.house.run.is, last.house.run.why]).toEqual(['paused', 'worker 1 was paused by ann'])
  })

  test('a run is left once, by the first of them', () => {
    const away: Turn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    let moment = begun({ workers: 2, rules: ruled({ retry: { outageMs: 0 } }) })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    moment = played(played(moment, away, '2'), away, '1')
    const leaving = moment.rows.flatMap(({ effects }) => effects).filter(({ type }) => type === 'leave-run')
    expect(leaving).toMatchObject([
      {
        worker: '1',
        outcome: {
          is: 'outage',
          verdict: 'unproven',
          exit: exitOf('outage', { verdict: 'unproven', required: false }),
        },
      },
    ])
  })
})

test.each<[OutcomeName, 'proven' | 'unproven' | 'gates-passed', boolean, number]>([
  ['project_complete', 'proven', true, 0],
  ['project_complete', 'unproven', false, 0],
  ['project_complete', 'unproven', true, 5],
  ['stopped', 'unproven', false, 4],
  ['failed', 'unproven', false, 1],
])('exit code of %s, %s, required %s', (name, verdict, required, code) => {
  expect(exitOf(name, { verdict, required })).toBe(code)
})

test('every agent that a run may start', () => {
  const rules = someRules()
  expect(agentsOf(rules)).toEqual(['claude'])
  expect(agentsOf({ ...rules, proof: { ...rules.proof, opinion: 'codex' } })).toEqual(['claude', 'codex'])
})
