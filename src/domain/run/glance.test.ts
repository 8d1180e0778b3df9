import { describe, expect, test } from 'vitest'
import { foldView, type View } from '../tell/view.ts'
import {
  aNight,
  begun,
  EVENING,
  openOf,
  played,
  ruled,
  send,
  until,
  workerAt,
  working,
  type Moment,
} from '../../../test/kit/core.ts'
import type { Effect } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import { glanceOf, type Glance, type WorkerGlance } from './glance.ts'
import type { House } from '../state/state.ts'
import type { Row } from '../state/row.ts'
import { step } from './step.ts'

/** The glance after each row. */
function glances(rows: Row[]): Glance[] {
  let house: House | null = null
  let glance: Glance | null = null
  return rows.map((row) => {
    house = step(house, row.event, row).house
    glance = glanceOf(house, row, glance)
    return glance
  })
}

const NIGHT = aNight([{ files: 2 }, { done: true, boxes: { open: 0, done: 3 }, green: true }])

test('a run at a glance, once it has ended', () => {
  const last = glances(NIGHT).at(-1)
  expect({ ...last, workers: null, outcome: last?.outcome?.is }).toEqual({
    shape: 2,
    tasks: null,
    is: 'ended',
    startedAt: EVENING,
    startedUp: 0,
    why: null,
    outcome: 'project_complete',
    rests: {},
    unusable: [],
    budget: { usd: 1, tokens: 2000, unknown: 0, reservedUsd: 0 },
    workers: null,
  })
  expect(last?.workers['1']).toMatchObject({
    id: '1',
    phase: 'finished',
    iteration: 2,
    doing: { is: 'ended' },
    agent: 'claude',
    boxes: { open: 0, done: 3 },
  })
})

test('since when it does what it does is the row that asked for it, and an answer alone changes nothing', () => {
  const told = glances(NIGHT)
  const asked = NIGHT.findIndex(({ effects }) => effects.some(({ type }) => type === 'run-agent'))
  const doing = { is: 'working', pid: null, log: null, since: NIGHT[asked]?.at }
  expect(told[asked]?.workers['1']?.doing).toEqual(doing)
  const [row] = NIGHT.slice(asked)
  if (row === undefined) throw new Error('no agent was asked')
  const effect = row.effects.find(({ type }) => type === 'run-agent')?.id ?? ''
  const house = NIGHT.slice(0, asked + 1).reduce<House | null>(
    (before, { event, at, up }) => step(before, event, { at, up }).house,
    null,
  )
  if (house === null) throw new Error('no house')
  const began: Row['event'] = {
    type: 'agent-began',
    worker: '1',
    effect,
    pid: 77,
    startTime: 's',
    promptHash: 'h',
    log: 'logs/agent.log',
  }
  const later = { ...row, at: row.at + 5, event: began, effects: [], decisions: [] }
  const at = glanceOf(house, later, told[asked] ?? null)
  expect(at.workers['1']?.doing).toEqual({ is: 'working', pid: 77, log: 'logs/agent.log', since: row.at + 5 })
  const remark = { ...later, at: row.at + 9, event: { type: 'remark', about: 'x', text: 'y' } as const }
  expect(glanceOf(house, remark, at)).toEqual(at)
})

describe('what a row changes', () => {
  const DONE = { files: 1, done: true, green: true, boxes: { open: 0, done: 3 } } as const

  /** The glance after all rows of a moment. */
  function at({ rows }: Moment): Glance {
    const last = glances(rows).at(-1)
    if (last === undefined) throw new Error('nothing happened')
    return last
  }

  function one(moment: Moment, worker = '1'): WorkerGlance {
    const found = at(moment).workers[worker]
    if (found === undefined) throw new Error(`there is no worker ${worker}`)
    return found
  }

  /** How a glance is after one more row, of which nothing follows in the house. */
  function after(moment: Moment, event: object, row: Partial<Row> = {}): WorkerGlance {
    const [last] = moment.rows.slice(-1)
    if (last === undefined) throw new Error('nothing happened')
    const told = { ...last, at: last.at + 5, effects: [], decisions: [], ...row, event: event as Event }
    const found = glanceOf(moment.house, told, at(moment)).workers['1']
    if (found === undefined) throw new Error('there is no worker 1')
    return found
  }

  test('a run that has just begun', () => {
    const moment = begun({ workers: 2 })
    expect(one(moment, '2')).toStrictEqual({
      id: '2',
      task: null,
      phase: 'surveying',
      iteration: 0,
      doing: { is: 'looking', since: EVENING },
      effect: 'e2',
      measures: null,
      checks: null,
      aside: null,
      agent: null,
      model: null,
      chosen: null,
      conversation: null,
      breaker: workerAt(moment, '2').breaker,
      boxes: null,
      footing: null,
    })
  })

  test('one that nothing was asked for yet is starting', () => {
    const { house, rows } = begun()
    const [row] = rows
    if (row === undefined) throw new Error('nothing happened')
    const bare = { ...house, run: { ...house.run, open: {} } }
    expect(glanceOf(bare, row, null).workers['1']).toMatchObject({
      doing: { is: 'starting', since: EVENING },
      effect: null,
    })
    const others = { ...house.run.open, e1: { ...openOf(begun()), worker: '2' } as Effect }
    const stranger = { ...house, run: { ...house.run, open: others } }
    expect(glanceOf(stranger, row, null).workers['1']?.doing.is).toBe('starting')
    const inline = {
      ...house,
      run: { ...house.run, open: { e1: { ...openOf(begun()), type: 'end-run' } as Effect } },
    }
    expect(glanceOf(inline, row, null).workers['1']?.doing.is).toBe('starting')
  })

  test('what is set aside is added up', () => {
    const moment = working({ rules: ruled({ budget: { usd: 5 } }) })
    const run = {
      ...moment.house.run,
      budget: { ...moment.house.run.budget, reserved: { '1': 1, '2': 2.5 } },
    }
    const [row] = moment.rows
    if (row === undefined) throw new Error('nothing happened')
    expect(glanceOf({ ...moment.house, run }, row, null).budget.reservedUsd).toBe(3.5)
  })

  test('the look that measures an iteration, the one that checks a reader, and the call beside it', () => {
    const rules = (usual: House['run']['rules']) => ({
      ...usual,
      proof: { ...usual.proof, opinion: 'codex' },
    })
    const works = working({ rules })
    expect(one(works)).toMatchObject({
      measures: null,
      checks: null,
      aside: null,
      agent: 'claude',
      iteration: 1,
    })
    const measuring = until(works, ({ is }) => is === 'measuring', DONE)
    const look = openOf(measuring).id
    expect(one(measuring)).toMatchObject({ measures: look, checks: null, doing: { is: 'measuring' } })
    expect(after(measuring, { type: 'remark', about: 'x', text: 'y' }).measures).toBe(look)
    const reading = until(measuring, ({ is }) => is === 'reviewing', DONE)
    const call = openOf(reading).id
    expect(one(reading)).toMatchObject({ measures: null, checks: null, aside: call, agent: 'claude' })
    const checking = until(reading, ({ is }) => is === 'checking', DONE)
    expect(one(checking)).toMatchObject({ measures: null, checks: openOf(checking).id, aside: call })
    expect(after(checking, { type: 'remark', about: 'x', text: 'y' })).toMatchObject({
      checks: openOf(checking).id,
      aside: call,
      agent: 'claude',
    })
    // What the reader is called is nothing of the iteration's.
    const named = { type: 'conversation-known', worker: '1', effect: call, conversation: 'c9', model: 'm9' }
    expect(after(reading, named)).toMatchObject({ conversation: null, model: null })
    const began = { type: 'agent-began', worker: '1', effect: call, pid: 7, log: 'l' }
    expect(after(reading, began).doing).toEqual(one(reading).doing)
  })

  describe('the conversation and the model, as the agent named them last', () => {
    const works = working()
    const effect = openOf(works).id
    const named = { type: 'conversation-known', worker: '1', effect, conversation: 'c1', model: 'opus' }
    const known = send(works, named as Event)

    test('are known from then on', () => {
      expect(one(known)).toMatchObject({ conversation: 'c1', model: 'opus' })
      expect(after(known, { type: 'remark', about: 'x', text: 'y' })).toMatchObject({
        conversation: 'c1',
        model: 'opus',
      })
    })

    test.each<[what: string, event: object, row: Partial<Row>, now: [string | null, string | null]]>([
      ['named anew', { ...named, conversation: 'c2', model: null }, {}, ['c2', null]],
      ["another worker's", { ...named, worker: '2', conversation: 'c2' }, {}, ['c1', 'opus']],
      [
        'late',
        { ...named, conversation: 'c2' },
        { decisions: [{ by: 'loop', what: 'ignore', why: 'late' }] },
        ['c1', 'opus'],
      ],
      [
        'the end names it',
        { type: 'agent-ended', worker: '1', effect, reply: { conversation: 'c3' } },
        {},
        ['c3', 'opus'],
      ],
      [
        'the end does not name it',
        { type: 'agent-ended', worker: '1', effect, reply: { conversation: null } },
        {},
        ['c1', 'opus'],
      ],
      [
        'a gate has none',
        { type: 'gate-ended', worker: '1', effect, reply: { conversation: 'c3' } },
        {},
        ['c1', 'opus'],
      ],
    ])('%s', (_, event, row, [conversation, model]) => {
      expect(after(known, event, row)).toMatchObject({ conversation, model })
    })

    test('a process of its own is told, of nobody else', () => {
      const began = { type: 'agent-began', worker: '1', effect, pid: 7, log: 'l' }
      expect(after(works, began).doing).toMatchObject({
        is: 'working',
        pid: 7,
        log: 'l',
        since: works.now.at + 5,
      })
      expect(after(works, { ...began, worker: '2' }).doing).toEqual(one(works).doing)
      expect(after(works, { ...named, pid: 7, log: 'l' }).doing).toEqual(one(works).doing)
    })
  })

  test('a worker that pauses is paused since then, and one that has ended has', () => {
    const pause: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }
    const paused = until(send(working(), pause), ({ is }) => is === 'paused', { files: 1 })
    const since = paused.now.at
    expect(one(paused).doing).toEqual({ is: 'paused', since })
    expect(after(paused, { type: 'remark', about: 'x', text: 'y' }).doing).toEqual({ is: 'paused', since })
    let two = begun({ workers: 2 })
    two = until(two, ({ is }) => is === 'finished', DONE)
    expect([one(two, '1').doing, one(two, '2').doing.is]).toEqual([
      { is: 'ended', since: two.now.at },
      'looking',
    ])
    expect(after(two, { type: 'remark', about: 'x', text: 'y' }).doing).toEqual(one(two).doing)
    for (const is of ['ended', 'left'] as const) {
      const { house, rows } = working()
      const [row] = rows.slice(-1)
      if (row === undefined) throw new Error('nothing happened')
      const over = glanceOf({ ...house, run: { ...house.run, is } }, row, at(working()))
      expect(over.workers['1']?.doing.is).toBe('ended')
    }
  })

  test('footing and boxes are those of the house', () => {
    const moment = working()
    const { footing, boxes } = workerAt(moment)
    expect(footing).not.toBe(null)
    expect(one(moment)).toMatchObject({ footing, boxes })
  })
})

test('the task of a worker is one truth at a glance and in the view, visit by visit', () => {
  const works = ({ is }: { is: string }): boolean => is === 'working' || is === 'finished'
  let moment = until(begun({ rules: (usual) => ({ ...usual, gates: [] }), tasks: [{ id: 'a' }] }), works)
  const seen: unknown[] = []
  for (const word of ['Not yet.', 'All good. <task-done>a</task-done>']) {
    const glance = glances(moment.rows).at(-1)
    const view = moment.rows.reduce<View | null>(foldView, null)
    expect(glance?.workers['1']?.task).toEqual(view?.workers['1']?.task)
    expect([glance?.tasks, view?.tasks]).toEqual([{ is: 'all' }, { is: 'all' }])
    seen.push(glance?.workers['1']?.task)
    moment = until(played(moment, { files: 1, summary: word }), works)
  }
  const task = { id: 'a', title: 'do a', attempt: 1, of: 4 }
  expect(seen).toEqual([
    { ...task, visit: 1 },
    { ...task, visit: 2 },
  ])
  expect(glances(moment.rows).at(-1)?.workers['1']?.task).toBe(null)
})
