/** What each release saved (`npm run records`): its records can still be read, and a run in any phase can be resumed and stopped. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Event } from '../src/domain/state/event.ts'
import type { House } from '../src/domain/state/state.ts'
import type { Row } from '../src/domain/state/row.ts'
import { step } from '../src/domain/run/step.ts'
import { houseFrom, type SavedHouse } from '../src/domain/state/upgrade.ts'
import { foldView, type View } from '../src/domain/tell/view.ts'
import { aNight } from './kit/core.ts'
import { checkRecord } from '../src/watch/check.ts'
import { shownBy, WANTED } from './records/phases.ts'

const RECORDS = join(import.meta.dirname, 'records')
const releases = readdirSync(RECORDS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

interface State extends SavedHouse {
  name: string
}

const states = releases.flatMap((release) =>
  linesOf<State>(release, 'states.jsonl').map((state) => [release, state.name, state] as const),
)

test('there is a state in every phase', () => {
  const shown = new Set(states.flatMap(([, , saved]) => shownBy(houseFrom(saved, 'r'))))
  expect(WANTED.filter((name) => !shown.has(name))).toEqual([])
})

describe.each(releases)('the records of %s', (release) => {
  test.each(['loop', 'tasks', 'draft'])('%s: each row can be read, and the last one ends the run', (kind) => {
    let view: View | null = null
    for (const row of linesOf<Row>(release, `${kind}.jsonl`)) view = foldView(view, row)
    expect(view?.is).toBe('ended')
  })

  test.each(['loop', 'tasks', 'draft'])('%s: each row follows from those before it', async (kind) => {
    const { difference } = await checkRecord(each(linesOf<Row>(release, `${kind}.jsonl`)), null)
    expect(difference).toBeNull()
  })
})

describe.each(states)('the state of %s: %s', (_release, _name, saved) => {
  test('has the fields of a state of this version', () => {
    expect(fieldsOf(houseFrom(saved, 'r'))).toEqual(fieldsOf(freshHouse()))
  })

  test('is resumed after a crash, and ends when it is stopped', () => {
    expect(stopped(houseFrom(saved, 'r')).run.is).toBe('ended')
  })
})

function linesOf<T>(release: string, file: string): T[] {
  const lines = readFileSync(join(RECORDS, release, file), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

async function* each(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

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
    Array.isArray(value)
      ? []
      : Object.keys(value)
          .filter((name) => !OPTIONAL.has(name))
          .toSorted(),
  ])
  return {
    run: Object.keys(run).toSorted(),
    worker: Object.keys(worker).toSorted(),
    budget: Object.keys(run.budget).toSorted(),
    tally: Object.keys(worker.tally).toSorted(),
    ...Object.fromEntries(rules),
  }
}

/** Rules that only some runs have. */
const OPTIONAL = new Set(['credentials', 'models', 'format', 'once', 'noTests'])

/** Resumed, stopped, and every effect that is still open lost: no state may keep a run alive after that. */
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
