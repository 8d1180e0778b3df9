/**
 * What screens show of a run, saved with its rows: a summary beside the state, and a table of iterations. Reading it takes the same time
 * after a week as after a minute. If another version of Ralph saved it, the view is folded from the record.
 */
import type { RunId, WorkerId } from '../core/ids.ts'
import { hourStart } from '../core/admission/quota.ts'
import type { Orphan } from '../core/tree/orphan.ts'
import type { Row } from '../core/state/row.ts'
import { MAX_ITERATIONS_KEPT, lastRunReason, type IterationView, type RunView } from '../core/presentation/run-view.ts'
import { iterationSeriesOf, SERIES_MAX, type IterationSeries } from '../core/presentation/charts/iteration-series.ts'
import { joinSummaries, type RunSummary } from '../core/presentation/run-summary.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'
import { streamAllRows, lastRowHeader } from './record.ts'
import type { RunEntry } from './runs.ts'
import { loadRules } from './run-state.ts'
import { usageSince } from './usage.ts'

/** After rows were appended: saves the iterations that differ from `before`. */
export async function saveIterations(
  tx: Sql,
  run: RunId,
  { iterations }: RunView,
  before: RunView | null,
): Promise<void> {
  if (iterations === before?.iterations) return
  const known = new Set(before?.iterations)
  for (const iteration of iterations) if (!known.has(iteration)) await saveIteration(tx, run, iteration)
}

async function saveIteration(tx: Sql, run: RunId, iteration: IterationView): Promise<void> {
  await tx.run(
    `insert into iterations (run, worker, n, body) values (?, ?, ?, ?)
     on conflict (run, worker, n) do update set body = excluded.body`,
    run,
    iteration.worker,
    iteration.n,
    JSON.stringify(iteration),
  )
}

/** How many iterations a screen needs: all that a view keeps, or the newest few back to the last one with gate results. */
export type IterationSelection = 'kept' | 'newest'

/** A run as screens show it. Null: this version cannot read the first row of the record. */
export async function loadRunView(
  sql: Sql,
  entry: RunEntry,
  { iterations = 'kept' }: { iterations?: IterationSelection } = {},
): Promise<RunView | null> {
  const summary = await loadRunSummary(sql, entry.id)
  if (summary === null) return (await rebuildRunView(sql, entry.id)).view
  return viewFrom(sql, entry, summary, iterations)
}

/** Null: no summary was saved, or another version saved it. */
export async function loadRunSummary(sql: Sql, run: RunId): Promise<RunSummary | null> {
  const saved = await sql.all<{ part: string; summary: string }>(
    'select part, summary from parts where run = ? and summary is not null',
    run,
  )
  return joinSummaries(new Map(saved.map(({ part, summary }) => [part, parseStoredJson(summary, run)])))
}

/** Folds the whole record. `unknown`: the number of rows from a newer Ralph that this version cannot read. */
export async function rebuildRunView(sql: Sql, run: RunId): Promise<{ view: RunView | null; unknown: number }> {
  // Loaded on demand: most commands read a summary and do not need this module.
  const { foldViewTolerantly } = await import('../core/presentation/run-view.ts')
  let view: RunView | null = null
  let unknown = 0
  for await (const row of streamAllRows(sql, run)) {
    const folded = foldViewTolerantly(view, row)
    view = folded.view
    if (!folded.known) unknown += 1
  }
  return { view, unknown }
}

/** The same view as `rebuildRunView` would fold, except for old decisions. */
async function viewFrom(
  sql: Sql,
  entry: RunEntry,
  summary: RunSummary,
  extent: IterationSelection,
): Promise<RunView | null> {
  const last = await lastRowHeader(sql, entry.id)
  const rules = await loadRules(sql, entry.id)
  if (last === null || rules === null) return null
  const decisions = await decisionsOf(sql, entry.id)
  return {
    ...summary,
    run: entry.id,
    project: entry.project,
    command: entry.command,
    version: entry.version,
    rules,
    at: last.at,
    up: last.up,
    seq: last.seq,
    pid: entry.pid,
    quota: await usageSince(sql, hourStart(last.at)),
    iterations: await (extent === 'kept' ? iterationsOf(sql, entry.id, MAX_ITERATIONS_KEPT) : newestOf(sql, entry.id)),
    decisions,
    why: lastRunReason(decisions),
    orphans: await loadOrphans(sql, entry.id),
  }
}

/** Page sizes, tried in this order: the first is usually enough, and has what the charts of `ralph status` show. */
const PAGES = [SERIES_MAX, MAX_ITERATIONS_KEPT]

async function newestOf(sql: Sql, run: RunId): Promise<IterationView[]> {
  const judged = await sql.get('select 1 from evidence where run = ? and iteration > 0 limit 1', run)
  let found: IterationView[] = []
  for (const page of judged === null ? PAGES.slice(0, 1) : PAGES) {
    found = await iterationsOf(sql, run, page)
    if (found.length < page || found.some(({ gates }) => gates.length > 0)) break
  }
  return found
}

async function iterationsOf(sql: Sql, run: RunId, limit: number): Promise<IterationView[]> {
  const rows = await sql.all<{ body: string }>(
    'select body from iterations where run = ? order by id desc limit ?',
    run,
    limit,
  )
  return rows.toReversed().map(({ body }) => parseStoredJson(body, run) as IterationView)
}

/** The numbers of the newest iterations, for charts. */
export async function loadIterationSeries(sql: Sql, run: RunId): Promise<IterationSeries> {
  return iterationSeriesOf(await iterationsOf(sql, run, SERIES_MAX))
}

/** A page of iterations, counted from 1 in the order in which they began. */
export async function loadIterationPage(
  sql: Sql,
  run: RunId,
  { from, count }: { from: number; count: number },
): Promise<IterationView[]> {
  const rows = await sql.all<{ body: string }>(
    'select body from iterations where run = ? order by id limit ? offset ?',
    run,
    count,
    from - 1,
  )
  return rows.map(({ body }) => parseStoredJson(body, run) as IterationView)
}

/** More than any screen shows. */
const DECISIONS = 20

async function decisionsOf(sql: Sql, run: RunId): Promise<RunView['decisions']> {
  const rows = await sql.all<{ at: number; seq: number; decisions: string }>(
    `select at, seq, decisions from record where run = ? and decisions <> '[]' order by seq desc limit ?`,
    run,
    DECISIONS,
  )
  return rows
    .toReversed()
    .flatMap(({ at, seq, decisions }) =>
      (parseStoredJson(decisions, run) as Row['decisions']).map((decision) => ({ ...decision, at, seq })),
    )
    .slice(-DECISIONS)
}

/** The workers of a run that made iterations, and whether each made one of this number. */
export async function listIterationWorkers(
  sql: Sql,
  run: RunId,
  n: number,
): Promise<{ worker: WorkerId; hasIteration: boolean }[]> {
  const rows = await sql.all<{ worker: WorkerId; has: number }>(
    'select worker, max(case when n = ? then 1 else 0 end) as has from iterations where run = ? group by worker order by worker',
    n,
    run,
  )
  return rows.map(({ worker, has }) => ({ worker, hasIteration: has === 1 }))
}

const ORPHANS = 50

/** The reported orphans, newest last. */
export async function loadOrphans(sql: Sql, run: RunId): Promise<Orphan[]> {
  const rows = await sql.all<{ pid: number; start_time: string; command: string }>(
    'select pid, start_time, command from orphans where run = ? order by id desc limit ?',
    run,
    ORPHANS,
  )
  return rows.toReversed().map(({ pid, start_time, command }) => ({ pid, startTime: start_time, command }))
}
