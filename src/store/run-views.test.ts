import { expect, test } from 'vitest'
import type { RunState } from '../core/state/state.ts'
import type { Row } from '../core/state/row.ts'
import { step } from '../core/run/step.ts'
import { STATE_VERSION } from '../core/state/upgrade.ts'
import { foldView, type RunView } from '../core/presentation/run-view.ts'
import { playRun } from '../../test/kit/core.ts'
import type { Sql } from './db/sql.ts'
import { appendRow } from './record.ts'
import { getRunEntry, type RunEntry } from './runs.ts'
import { rebuildRunView, loadRunView, saveIterations } from './run-views.ts'
import { saveRunState } from './run-state.ts'
import { makeTestStore, countRowsRead } from '../../test/kit/store.ts'

/** As the engine does, row by row. */
async function keep(sql: Sql, rows: Row[]): Promise<RunEntry> {
  const run = rows[0]?.run ?? ''
  await sql.transaction(async (tx) => {
    let state: RunState | null = null
    let view: RunView | null = null
    for (const row of rows) {
      const before: { state: RunState | null; view: RunView | null } = { state, view }
      const stepped: RunState = step(state, row.event, row).state
      state = stepped
      const shown: RunView = foldView(view, row)
      view = shown
      await appendRow(tx, row)
      await saveRunState(tx, run, { version: STATE_VERSION, seq: row.seq, state: stepped, view: shown }, before)
      await saveIterations(tx, run, shown, before.view)
    }
  })
  const entry = await getRunEntry(sql, run)
  if (entry === null) throw new Error('the run is not listed')
  return entry
}

const unlimited = (rules: Parameters<NonNullable<Parameters<typeof playRun>[1]>>[0]): typeof rules => ({
  ...rules,
  loop: { ...rules.loop, iterationsMax: 0 },
  breaker: { ...rules.breaker, noProgress: 0 },
})

test('a run is shown from what is kept as it is from its record', async () => {
  const { sql } = await makeTestStore()
  const entry = await keep(sql, playRun([{ files: 1 }, { done: true, green: true, checkboxes: { open: 0, done: 3 } }]))
  const view = await loadRunView(sql, entry)
  const { view: folded } = await rebuildRunView(sql, entry.id)
  if (view === null || folded === null) throw new Error('nothing is shown')
  const { decisions } = view
  expect({ ...view, quota: folded.quota }).toEqual({
    ...folded,
    decisions: folded.decisions.slice(-decisions.length),
  })
})

test('nothing is read of the record but its end, however long it is', async () => {
  const read = async (rows: number): Promise<number> => {
    const { sql } = await makeTestStore()
    const entry = await keep(sql, playRun([{ files: 1 }], unlimited, rows))
    const counting = countRowsRead(sql)
    await loadRunView(counting.sql, entry)
    return counting.rows()
  }
  const [short, long] = [await read(200), await read(1_000)]
  expect(long).toBeLessThanOrEqual(short)
})

test('a run without a saved summary is shown from its record', async () => {
  const { sql } = await makeTestStore()
  const entry = await keep(sql, playRun([{ files: 1 }], undefined, 40))
  await sql.run('update parts set summary = null')
  const { view } = await rebuildRunView(sql, entry.id)
  expect(await loadRunView(sql, entry)).toEqual(view)
})
