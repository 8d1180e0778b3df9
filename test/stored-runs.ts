/** A night in a store, written as the engine writes it, without an engine: quick to make, however long the night. */
import type { RunState } from '../src/core/state/state.ts'
import type { Row } from '../src/core/state/row.ts'
import type { Rules } from '../src/core/state/rules.ts'
import { step } from '../src/core/run/step.ts'
import { STATE_VERSION } from '../src/core/state/upgrade.ts'
import { newTask } from '../src/core/tasks/task.ts'
import { foldView, type RunView } from '../src/core/presentation/run-view.ts'
import { playRun } from './kit/core.ts'
import { openStore } from '../src/store/db/open-store.ts'
import type { Sql } from '../src/store/db/sql.ts'
import { saveDigest } from '../src/store/digests.ts'
import { appendRow } from '../src/store/record.ts'
import type { RunSummary } from '../src/core/presentation/run-summary.ts'
import { saveIterations } from '../src/store/run-views.ts'
import { saveRunState } from '../src/store/run-state.ts'
import { addTask } from './kit/task-writes.ts'
import { markTask } from '../src/store/task/mark-task.ts'

/** So many runs of so many iterations in the working tree at `root`, each ended by its limit. */
export async function storeRuns(
  file: string,
  { root, runs, iterations }: { root: string; runs: number; iterations: number },
): Promise<void> {
  const store = await openStore(file, { create: true, notice: () => {} })
  const rows = playRun([{ files: 2 }], unlimited(iterations), 1_000_000)
  for (let n = 0; n < runs; n += 1) {
    const run = `r${String(n).padStart(5, '0')}`
    await store.sql.transaction((tx) => keep(tx, rows, { run, root, laterMs: n * NIGHT_MS }))
  }
  await store.close()
}

/** The same store as if its runs had worked through tasks, of which one failed and another waits for it. */
export async function convertToTaskRun(file: string): Promise<void> {
  const store = await openStore(file, { create: false, notice: () => {} })
  for (const id of ['first', 'second', 'third'])
    await addTask(store.sql, newTask(`The ${id}`, { id, blockers: id === 'third' ? ['second'] : [] }), 0)
  await markTask(store.sql, 'second', { as: 'failed', why: 'it failed', by: 'somebody', at: 0 })
  for (const { run, summary } of await store.sql.all<{ run: string; summary: string }>(
    `select run, summary from parts where part = 'run'`,
  )) {
    const changed: RunSummary = { ...(JSON.parse(summary) as RunSummary), tasks: { is: 'all' } }
    await store.sql.run(`update parts set summary = ? where part = 'run' and run = ?`, JSON.stringify(changed), run)
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
  let state: RunState | null = null
  let view: RunView | null = null
  for (const one of rows) {
    const event = one.event.type === 'run-started' ? { ...one.event, run, project: root } : one.event
    const row: Row = { ...one, at: one.at + laterMs, run, event }
    const before: { state: RunState | null; view: RunView | null } = { state, view }
    const stepped: RunState = step(state, row.event, row).state
    state = stepped
    const shown: RunView = foldView(view, row)
    view = shown
    await appendRow(tx, row)
    await saveRunState(tx, run, { version: STATE_VERSION, seq: row.seq, state: stepped, view: shown }, before)
    await saveIterations(tx, run, shown, before.view)
    await saveDigest(tx, run, { from: row.seq - 1, to: row.seq })
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
