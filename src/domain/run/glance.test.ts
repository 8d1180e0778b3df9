import { expect, test } from 'vitest'
import { aNight, EVENING } from '../test-kit.ts'
import { glanceOf, type Glance } from './glance.ts'
import type { House } from './house.ts'
import type { Row } from './row.ts'
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
    shape: 1,
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
