/** What each release saved (`npm run records`): its records can still be read, and a run in any phase can be resumed and stopped. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Event } from '../src/core/state/event.ts'
import type { RunState } from '../src/core/state/state.ts'
import type { Row } from '../src/core/state/row.ts'
import { step } from '../src/core/run/step.ts'
import { upgradeState, type SavedRunState } from '../src/core/state/upgrade.ts'
import { foldView, type RunView } from '../src/core/presentation/run-view.ts'
import { playRun } from './kit/core.ts'
import { verifyRecord } from '../src/watch/verify-record.ts'
import { shownBy, WANTED } from './records/phases.ts'

const RECORDS = join(import.meta.dirname, 'records')
const releases = readdirSync(RECORDS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

interface State extends SavedRunState {
  name: string
}

const states = releases.flatMap((release) =>
  linesOf<State>(release, 'states.jsonl').map((savedState) => [release, savedState.name, savedState] as const),
)

test('there is a state in every phase', () => {
  const shown = new Set(states.flatMap(([, , saved]) => shownBy(upgradeState(saved, 'r'))))
  expect(WANTED.filter((name) => !shown.has(name))).toEqual([])
})

describe.each(releases)('the records of %s', (release) => {
  test.each(['loop', 'tasks', 'draft'])('%s: each row can be read, and the last one ends the run', (kind) => {
    let view: RunView | null = null
    for (const row of linesOf<Row>(release, `${kind}.jsonl`)) view = foldView(view, row)
    expect(view?.is).toBe('ended')
  })

  test.each(['loop', 'tasks', 'draft'])('%s: each row follows from those before it', async (kind) => {
    const { difference } = await verifyRecord(each(linesOf<Row>(release, `${kind}.jsonl`)), null)
    expect(difference).toBeNull()
  })
})

describe.each(states)('the state of %s: %s', (_release, _name, saved) => {
  test('has the fields of a state of this version', () => {
    expect(fieldsOf(upgradeState(saved, 'r'))).toEqual(fieldsOf(freshState()))
  })

  test('is resumed after a crash, and ends when it is stopped', () => {
    expect(stopped(upgradeState(saved, 'r')).run.is).toBe('ended')
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

function freshState(): RunState {
  const [first] = playRun([{}], (rules) => rules, 1)
  if (first === undefined) throw new Error('the night has no first row')
  return step(null, first.event, first).state
}

/** Names only, of everything whose fields do not depend on what happened. */
function fieldsOf({ run, workers }: RunState): Record<string, string[]> {
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
    exitCounts: Object.keys(worker.exitCounts).toSorted(),
    ...Object.fromEntries(rules),
  }
}

/** Rules that only some runs have. */
const OPTIONAL = new Set(['credentials', 'models', 'format', 'once', 'noTests'])

/** Resumed, stopped, and every effect that is still open lost: no state may keep a run alive after that. */
function stopped(from: RunState): RunState {
  let state = from
  const feed = (event: Event): void => {
    state = step(state, event, { at: 1_800_000_000_000, up: 10_000_000 }).state
  }
  feed({ type: 'run-resumed', pid: 1, after: 'crash', version: '9.9.9' })
  feed({ type: 'request-received', request: { id: null, from: 'test', do: 'stop', now: true } })
  for (let round = 0; round < 20 && state.run.is !== 'ended'; round += 1) {
    for (const effect of Object.values(state.run.open)) {
      const answer = { worker: effect.worker, effect: effect.id }
      if (effect.type === 'end-run') feed({ type: 'run-ended', ...answer, outcome: effect.outcome })
      else if (effect.type === 'abort') feed({ type: 'aborted', ...answer })
      else feed({ type: 'effect-lost', ...answer })
    }
  }
  return state
}
