/**
 * What screens show of a run, kept with its rows: the glance, and what each iteration came to. Whoever asks how a run stands reads as
 * much after a week as after a minute. Where another version saved it, the record is folded.
 */
import type { RunId } from '../domain/ids.ts'
import { hourStart } from '../domain/admission/quota.ts'
import { NOTHING_SPENT, type Spent } from '../domain/calls/spent.ts'
import type { Orphan } from '../domain/tree/orphan.ts'
import { GLANCE_SHAPE, type Glance, type WorkerGlance } from '../domain/run/glance.ts'
import type { Row } from '../domain/state/row.ts'
import {
  ITERATIONS_KEPT,
  whyAfter,
  type IterationView,
  type View,
  type WorkerView,
} from '../domain/tell/view.ts'
import { storedJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'
import { allRows, lastRow } from './record.ts'
import type { RunEntry } from './runs.ts'
import { loadRules } from './state.ts'
import { usageSince } from './usage.ts'

export interface Screens {
  /** Null: nobody here understands how the record begins. */
  view: View | null
  /** Null: none was kept, or another version kept it. */
  glance: Glance | null
}

export const NO_SCREENS: Screens = { view: null, glance: null }

/** After rows were appended: as far as it is another than `before`. */
export async function saveScreens(
  tx: Sql,
  run: RunId,
  { view, glance }: Screens,
  before: Screens,
): Promise<void> {
  const now = glanceText(glance)
  if (now !== glanceText(before.glance)) await tx.run('update runs set glance = ? where id = ?', now, run)
  if (view !== null && (view.spent !== before.view?.spent || view.agents !== before.view.agents))
    await tx.run('update runs set used = ? where id = ?', usedText(view), run)
  const known = new Set(before.glance === null ? [] : before.view?.iterations)
  for (const iteration of view?.iterations ?? []) {
    if (!known.has(iteration)) await saveIteration(tx, run, iteration)
  }
}

/** The text of each glance, made once: every commit compares the newest with the one before it. */
const glanceTexts = new WeakMap<Glance, string>()

function glanceText(glance: Glance | null): string {
  if (glance === null) return 'null'
  const known = glanceTexts.get(glance)
  if (known !== undefined) return known
  const text = JSON.stringify(glance)
  glanceTexts.set(glance, text)
  return text
}

function usedText({ spent, agents }: Pick<View, 'spent' | 'agents'>): string {
  return JSON.stringify({ spent, agents })
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

/** How many iterations a screen wants: as many as are kept, or the newest few and back to the last that was judged. */
export type Extent = 'kept' | 'newest'

/** A run as screens show it. */
export async function loadScreens(
  sql: Sql,
  entry: RunEntry,
  { iterations = 'kept' }: { iterations?: Extent } = {},
): Promise<Screens> {
  const glance = await loadGlance(sql, entry.id)
  if (glance === null) return { view: (await foldRecord(sql, entry.id)).view, glance }
  return { view: await viewFrom(sql, entry, glance, iterations), glance }
}

export async function loadGlance(sql: Sql, run: RunId): Promise<Glance | null> {
  const row = await sql.get<{ glance: string | null }>('select glance from runs where id = ?', run)
  if (row === null || row.glance === null) return null
  const glance = storedJson(row.glance, run) as Glance
  return glance.shape === GLANCE_SHAPE ? glance : null
}

/** The whole record. `unknown`: rows that a newer Ralph wrote and nobody here understands. */
export async function foldRecord(sql: Sql, run: RunId): Promise<{ view: View | null; unknown: number }> {
  // Few records are folded whole, and whoever reads a glance shall not load what that takes.
  const { foldKnown } = await import('../domain/tell/view.ts')
  let view: View | null = null
  let unknown = 0
  for await (const row of allRows(sql, run)) {
    const folded = foldKnown(view, row)
    view = folded.view
    if (!folded.known) unknown += 1
  }
  return { view, unknown }
}

/** As it would have been folded, but for decisions that are long past. */
async function viewFrom(sql: Sql, entry: RunEntry, glance: Glance, extent: Extent): Promise<View | null> {
  const last = await lastRow(sql, entry.id)
  const rules = await loadRules(sql, entry.id)
  if (last === null || rules === null) return null
  const decisions = await decisionsOf(sql, entry.id)
  const { is, startedAt, startedUp, tasks, outcome } = glance
  const workers = Object.values(glance.workers).map((worker) => [worker.id, shownOf(worker)] as const)
  const { spent, agents } = await usedIn(sql, entry.id)
  return {
    run: entry.id,
    project: entry.project,
    command: entry.command,
    version: entry.version,
    tasks,
    is: is === 'pausing' || is === 'leaving' ? 'going' : is,
    rules,
    startedAt,
    startedUp,
    at: last.at,
    up: last.up,
    seq: last.seq,
    pid: entry.pid,
    workers: Object.fromEntries(workers),
    spent,
    quota: await usageSince(sql, hourStart(last.at)),
    iterations: await (extent === 'kept'
      ? iterationsOf(sql, entry.id, ITERATIONS_KEPT)
      : newestOf(sql, entry.id)),
    decisions,
    why: whyAfter(decisions),
    breaker: Object.values(glance.workers)[0]?.breaker.is ?? 'closed',
    agents,
    orphans: await orphansOf(sql, entry.id),
    outcome,
  }
}

function shownOf(worker: WorkerGlance): WorkerView {
  const { phase: _phase, effect: _effect, breaker, ...shown } = worker
  return { ...shown, breaker: breaker.is }
}

/** One page after the other, each larger: most often the first is enough. */
const PAGES = [3, 25, ITERATIONS_KEPT]

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
  return rows.toReversed().map(({ body }) => storedJson(body, run) as IterationView)
}

/** More than any screen tells of. */
const DECISIONS = 20

async function decisionsOf(sql: Sql, run: RunId): Promise<View['decisions']> {
  const rows = await sql.all<{ at: number; seq: number; decisions: string }>(
    `select at, seq, decisions from record where run = ? and decisions <> '[]' order by seq desc limit ?`,
    run,
    DECISIONS,
  )
  return rows
    .toReversed()
    .flatMap(({ at, seq, decisions }) =>
      (storedJson(decisions, run) as Row['decisions']).map((decision) => ({ ...decision, at, seq })),
    )
    .slice(-DECISIONS)
}

async function usedIn(sql: Sql, run: RunId): Promise<Pick<View, 'spent' | 'agents'>> {
  const row = await sql.get<{ used: string | null }>('select used from runs where id = ?', run)
  if (row === null || row.used === null) return { spent: NOTHING_SPENT, agents: [] }
  return storedJson(row.used, run) as Pick<View, 'spent' | 'agents'>
}

const ORPHANS = 50

/** All that were named, newest last. */
export async function orphansOf(sql: Sql, run: RunId): Promise<Orphan[]> {
  const rows = await sql.all<{ pid: number; start_time: string; command: string }>(
    'select pid, start_time, command from orphans where run = ? order by id desc limit ?',
    run,
    ORPHANS,
  )
  return rows.toReversed().map(({ pid, start_time, command }) => ({ pid, startTime: start_time, command }))
}
