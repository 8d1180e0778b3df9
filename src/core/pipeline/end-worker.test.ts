/** How a worker ends, and what its run makes of it. */
import { describe, expect, test } from 'vitest'
import {
  startedRun,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import type { Event } from '../state/event.ts'
import { exitCodeOf, type OutcomeName } from '../state/outcome.ts'
import { agentNamesOf } from '../state/rules.ts'
import { someRules } from '../../../test/kit/core.ts'

const WORKS: AgentTurn = { files: 1, checkboxes: { open: 3, done: 0 }, reply: { conversation: 'c1' } }
const DONE: AgentTurn = { ...WORKS, done: true, green: true, checkboxes: { open: 0, done: 3 } }
const STOP: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'stop', now: false } }

function ended(moment: RunMoment, turn: AgentTurn = DONE): RunMoment {
  return until(moment, ({ is }) => is === 'finished', turn)
}

test('a conversation goes on only where a limit cut it short', () => {
  const after = (rules: Parameters<typeof withRules>[0], turns: AgentTurn[]): string | null => {
    let moment = working({ rules: withRules(rules) })
    for (const turn of turns) moment = afterTurn(moment, turn)
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
  const moment = send(working({ rules: withRules({ budget: { usd: 5 } }) }), {
    type: 'request-received',
    request: { id: 1, from: 'ann', do: 'abandon' },
  })
  expect(moment.state.run.budget.reserved).toEqual({})
})

test('a sentence is one line', () => {
  const moment = working()
  const broken = send(moment, {
    type: 'effect-failed',
    worker: '1',
    effect: openEffectOf(moment).id,
    problem: 'no\n  disk',
    hint: null,
  })
  expect(broken.state.run.outcome?.reason).toBe('no disk')
})

describe('what is told with the end', () => {
  const look = (uncommitted: number, more: object = {}): AgentTurn['look'] => ({
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
    const cut = afterTurn(working({ rules: withRules({ loop: { iterationsMax: 1 } }) }), {
      ...WORKS,
      nextCheckbox: 'n'.repeat(300),
    })
    expect(cut.state.run.outcome?.nextCheckbox?.length).toBe(200)
    expect(ended(afterTurn(working(), DONE)).state.run.outcome).not.toHaveProperty('nextCheckbox')
    // A plan that lies beside tasks is not what such a run goes on with.
    const tasks = working({ tasks: [{ id: 'a' }], rules: withRules({ loop: { iterationsMax: 1 } }) })
    const limited = ended(afterTurn(tasks, { files: 1, nextCheckbox: 'sing' }))
    expect(limited.state.run.outcome).toMatchObject({ is: 'iteration_limit' })
    expect(limited.state.run.outcome).not.toHaveProperty('nextCheckbox')
    const none = afterTurn(working({ rules: withRules({ loop: { iterationsMax: 1 } }) }), {
      ...WORKS,
      look: { nextCheckbox: null },
    })
    expect(none.state.run.outcome).not.toHaveProperty('nextCheckbox')
  })

  test('what was claimed and left in no commit', () => {
    const start = until(startedRun(), ({ is }) => is === 'working', { look: look(1) ?? {} })
    const claim = (turn: AgentTurn): unknown => ended(afterTurn(start, turn), turn).state.run.outcome?.uncommitted
    expect(claim({ ...DONE, look: look(3, { uncommittedPaths: ['a', 'b'] }) ?? {} })).toEqual({
      files: 3,
      before: 1,
      paths: ['a', 'b'],
    })
    expect(claim({ ...DONE, look: look(3) ?? {} })).toEqual({ files: 3, before: 1 })
    expect(claim({ ...DONE, look: look(0) ?? {} })).toBeUndefined()
    const stopped = afterTurn(send(start, STOP), { ...WORKS, look: look(3) ?? {} })
    expect(stopped.state.run.outcome).not.toHaveProperty('uncommitted')
    const ours = until(
      startedRun({ rules: withRules({ loop: { commit: 'iteration' } }) }),
      ({ is }) => is === 'working',
    )
    const turn: AgentTurn = { ...DONE, look: look(3) ?? {}, commit: { sha: null, problem: 'x' } }
    expect(ended(afterTurn(ours, turn), turn).state.run.outcome).not.toHaveProperty('uncommitted')
  })

  test('settings that somebody edited', () => {
    const turn: AgentTurn = { ...WORKS, look: { edited: ['.ralph.toml'] } }
    const moment = afterTurn(working({ rules: withRules({ loop: { iterationsMax: 1 } }) }), turn)
    expect(moment.state.run.outcome?.edited).toEqual(['.ralph.toml'])
    expect(
      afterTurn(working({ rules: withRules({ loop: { iterationsMax: 1 } }) }), WORKS).state.run.outcome,
    ).not.toHaveProperty('edited')
  })

  test('that there was nothing to do, or too little allowed', () => {
    const ticked: AgentTurn = { checkboxes: { open: 0, done: 3 }, green: true }
    expect(until(startedRun(), ({ is }) => is === 'finished', ticked).state.run.outcome?.cause).toEqual({
      is: 'nothing-to-do',
    })
    const small = until(startedRun({ rules: withRules({ budget: { minutes: 0 } }) }), ({ is }) => is === 'finished')
    expect(small.state.run.outcome).toMatchObject({ is: 'time_limit', cause: { is: 'too-small' } })
    const stopped = until(send(startedRun(), STOP), ({ is }) => is === 'finished')
    expect(stopped.state.run.outcome).not.toHaveProperty('cause')
    const worked = afterTurn(working({ rules: withRules({ loop: { iterationsMax: 1 } }) }), WORKS)
    expect(worked.state.run.outcome).not.toHaveProperty('cause')
  })
})

test('a proof moves the base, with as many tests', () => {
  const moment = ended(afterTurn(working(), DONE))
  expect(workerAt(moment)).toMatchObject({
    base: { tree: 'w:1', from: 'proven' },
    room: { is: 'fit', tests: 3, base: 'w:1' },
  })
})

describe('of several workers', () => {
  function two(): RunMoment {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    return moment
  }
  const end = (moment: RunMoment, id: string, turn: AgentTurn): RunMoment =>
    until(moment, ({ is }) => is === 'finished', turn, id)

  test('the run ends as the first that is not complete', () => {
    const broken = (moment: RunMoment, id: string): RunMoment =>
      send(moment, {
        type: 'effect-failed',
        worker: id,
        effect: openEffectOf(moment, id).id,
        problem: 'no disk',
        hint: null,
      })
    expect(broken(end(two(), '1', DONE), '2').state.run.outcome?.is).toBe('failed')
    expect(end(broken(two(), '1'), '2', DONE).state.run.outcome?.is).toBe('failed')
    expect(end(end(two(), '1', DONE), '2', DONE).state.run.outcome).toMatchObject({
      is: 'project_complete',
      verdict: 'proven',
    })
  })

  test('it is proven only if each is', () => {
    const rules = withRules({ proof: { rejections: 1 } })
    const proofGap: AgentTurn = {
      ...DONE,
      classification: { unclear: [], isMutable: false, breakableCount: 0, work: 0, documents: 1 },
    }
    let moment = startedRun({ workers: 2, rules })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    const { outcome } = end(end(moment, '1', proofGap), '2', DONE).state.run
    expect(outcome?.verdict).not.toBe('proven')
  })

  test('all that is left is paused: so is the run', () => {
    const paused = afterTurn(
      send(two(), {
        type: 'request-received',
        request: { id: 1, from: 'ann', do: 'pause', to: { worker: '1' } },
      }),
      WORKS,
    )
    const last = end(paused, '2', DONE)
    expect([last.state.run.is, last.state.run.why]).toEqual(['paused', 'worker 1 was paused by ann'])
  })

  test('a run is left once, by the first of them', () => {
    const away: AgentTurn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    let moment = startedRun({ workers: 2, rules: withRules({ retry: { outageMs: 0 } }) })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    moment = afterTurn(afterTurn(moment, away, '2'), away, '1')
    const leaving = moment.rows.flatMap(({ effects }) => effects).filter(({ type }) => type === 'suspend-run')
    expect(leaving).toMatchObject([
      {
        worker: '1',
        outcome: {
          is: 'outage',
          verdict: 'unproven',
          exit: exitCodeOf('outage', { verdict: 'unproven', required: false }),
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
  expect(exitCodeOf(name, { verdict, required })).toBe(code)
})

test('every agent that a run may start', () => {
  const rules = someRules()
  expect(agentNamesOf(rules)).toEqual(['claude'])
  expect(agentNamesOf({ ...rules, proof: { ...rules.proof, reviewer: 'codex' } })).toEqual(['claude', 'codex'])
})
