/** A night in a store, written as the engine writes it, without an engine: quick to make, however long the night. */
import type { House } from '../src/domain/state/state.ts'
import type { Row } from '../src/domain/state/row.ts'
import type { Rules } from '../src/domain/state/rules.ts'
import { step } from '../src/domain/run/step.ts'
import { HOUSE_VERSION } from '../src/domain/state/upgrade.ts'
import { newTask } from '../src/domain/task/task.ts'
import { foldView, type View } from '../src/domain/tell/view.ts'
import { aNight } from './kit/core.ts'
import { openStore } from '../src/store/db/open.ts'
import type { Sql } from '../src/store/db/sql.ts'
import { keepDigest } from '../src/store/digests.ts'
import { appendRow } from '../src/store/record.ts'
import { saveView, type RunSummary } from '../src/store/screens.ts'
import { saveState } from '../src/store/state.ts'
import { addTask } from '../src/store/task/add.ts'
import { markTask } from '../src/store/task/mark.ts'

/** So many runs of so many iterations in the working tree at `root`, each ended by its limit. */
export async function keepNights(
  file: string,
  { root, runs, iterations }: { root: string; runs: number; iterations: number },
): Promise<void> {
  const store = await openStore(file, { create: true, notice: () => {} })
  const rows = aNight([{ files: 2 }], unlimited(iterations), 1_000_000)
  for (let n = 0; n < runs; n += 1) {
    const run = `r${String(n).padStart(5, '0')}`
    await store.sql.transaction((tx) => keep(tx, rows, { run, root, laterMs: n * NIGHT_MS }))
  }
  await store.close()
}

/** The same store as if its runs had worked through tasks, of which one failed and another waits for it. */
export async function turnIntoTasks(file: string): Promise<void> {
  const store = await openStore(file, { create: false, notice: () => {} })
  for (const id of ['first', 'second', 'third'])
    await addTask(store.sql, newTask(`The ${id}`, { id, blockers: id === 'third' ? ['second'] : [] }), 0)
  await markTask(store.sql, 'second', { as: 'failed', why: 'it failed', by: 'somebody', at: 0 })
  for (const { id, glance } of await store.sql.all<{ id: string; glance: string }>(
    'select id, glance from runs',
  )) {
    const changed: RunSummary = { ...(JSON.parse(glance) as RunSummary), tasks: { is: 'all' } }
    await store.sql.run('update runs set glance = ? where id = ?', JSON.stringify(changed), id)
  }
  await store.close()
}

/** So long after the one before it each begins. */
const NIGHT_MS = 24 * 60 * 60_000

async function keep(
  tx: Sql,
  rows: Row[],
  { run, root, laterMs }: { run: string; root: string; laterMs: number },
): Promise<void> {
  let house: House | null = null
  let view: View | null = null
  for (const one of rows) {
    const event = one.event.type === 'run-started' ? { ...one.event, run, project: root } : one.event
    const row: Row = { ...one, at: one.at + laterMs, run, event }
    const before: { house: House | null; view: View | null } = { house, view }
    const stepped: House = step(house, row.event, row).house
    house = stepped
    const shown: View = foldView(view, row)
    view = shown
    await appendRow(tx, row)
    await saveState(tx, run, { version: HOUSE_VERSION, seq: row.seq, house: stepped }, before.house)
    await saveView(tx, run, shown, before.view)
    await keepDigest(tx, run, { from: row.seq - 1, to: row.seq })
  }
}

function unlimited(iterations: number): (rules: Rules) => Rules {
  return (rules) => ({
    ...rules,
    loop: { ...rules.loop, iterationsMax: iterations },
    quota: { callsPerHour: 0, tokensPerHour: 0 },
    budget: { ...rules.budget, usd: null, tokens: null, minutes: null },
  })
}
