/** What earlier versions left behind: their records are still read, and a run they left in any phase is taken up and can be stopped. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RalphError } from '../src/domain/error.ts'
import type { Event } from '../src/domain/run/event.ts'
import type { House } from '../src/domain/run/house.ts'
import { step } from '../src/domain/run/step.ts'
import type { Row } from '../src/domain/run/row.ts'
import { aNight } from './kit/core.ts'
import { HOUSE_VERSION, houseFrom, type SavedHouse } from '../src/domain/run/upgrade.ts'
import { foldView, type View } from '../src/domain/tell/view.ts'

const RECORDS = join(import.meta.dirname, 'records')
const releases = readdirSync(RECORDS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
const states = releases.flatMap((name) =>
  readdirSync(join(RECORDS, name))
    .filter((file) => file.endsWith('.json'))
    .map((file) => [name, file] as const),
)

describe.each(releases)('the record of %s', (release) => {
  test.each([
    ['record.jsonl', { is: 'project_complete', verdict: 'proven' }],
    ['draft.jsonl', { is: 'drafted' }],
  ])('in %s is read row by row and tells how it ended', (file, outcome) => {
    const rows = readFileSync(join(RECORDS, release, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
    let view: View | null = null
    for (const row of rows) view = foldView(view, row)
    expect(view?.outcome).toMatchObject(outcome)
  })
})

describe.each(states)('the state of %s in %s', (release, file) => {
  const saved = (): SavedHouse => JSON.parse(readFileSync(join(RECORDS, release, file), 'utf8')) as SavedHouse

  test('has the fields of a state of today', () => {
    const old = houseFrom(saved(), 'r')
    const fresh = freshHouse()
    expect(fieldsOf(old)).toEqual(fieldsOf(fresh))
  })

  test('goes on after a crash, and ends when it is told to', () => {
    expect(stopped(houseFrom(saved(), 'r')).run.is).toBe('ended')
  })
})

test('a state of a newer version is refused in words', () => {
  const newer = { version: HOUSE_VERSION + 1, house: {} }
  expect(() => houseFrom(newer, 'k7f3qa')).toThrow(
    new RalphError(
      'store-newer',
      `run k7f3qa was written by a newer Ralph: its state has shape ${HOUSE_VERSION + 1}, this version knows up to ${HOUSE_VERSION}`,
      { hint: 'Update Ralph, or use the version that wrote it. Nothing was changed.' },
    ),
  )
})

function freshHouse(): House {
  const [first] = aNight([{}], (rules) => rules, 1)
  if (first === undefined) throw new Error('the night has no first row')
  return step(null, first.event, first).house
}

/** Names only, of everything whose fields do not depend on what happened. */
function fieldsOf({ run, workers }: House): Record<string, string[]> {
  const { '1': worker } = workers
  if (worker === undefined) throw new Error('there is no worker 1')
  const rules = Object.entries(run.rules).map(([part, value]): [string, string[]] => [
    `rules.${part}`,
    Array.isArray(value) ? [] : named(value),
  ])
  return {
    run: Object.keys(run).toSorted(),
    worker: Object.keys(worker).toSorted(),
    budget: Object.keys(run.budget).toSorted(),
    tally: Object.keys(worker.tally).toSorted(),
    ...Object.fromEntries(rules),
  }
}

/** Rules that a state may do without. */
const OPTIONAL = new Set(['models', 'commitRequired'])

function named(part: object): string[] {
  return Object.keys(part)
    .filter((name) => !OPTIONAL.has(name))
    .toSorted()
}

/** Taken up again, told to stop, and every effect that is still open lost: no state may keep a run alive after that. */
function stopped(from: House): House {
  let house = from
  const feed = (event: Event): void => {
    house = step(house, event, { at: 1_800_000_000_000, up: 10_000_000 }).house
  }
  feed({ type: 'run-continued', pid: 1, after: 'crash', version: '9.9.9' })
  feed({ type: 'request-received', request: { id: null, from: 'test', do: 'stop', now: true } })
  for (let round = 0; round < 20 && house.run.is !== 'ended'; round += 1) {
    for (const effect of Object.values(house.run.open)) {
      const answer = { worker: effect.worker, effect: effect.id }
      if (effect.type === 'end-run') feed({ type: 'run-ended', ...answer, outcome: effect.outcome })
      else if (effect.type === 'abort') feed({ type: 'aborted', ...answer })
      else feed({ type: 'effect-lost', ...answer })
    }
  }
  return house
}
