/** Runs and iterations counted by run, day, agent, model, task or feature. */
import type { Instant, Millis, RunId } from '../ids.ts'
import type { Verdict } from '../proof/evidence.ts'

export const STATS_BY = ['run', 'day', 'agent', 'model', 'task', 'feature'] as const
export type StatsBy = (typeof STATS_BY)[number]

export interface StatsRun {
  run: RunId
  startedAt: Instant
  /** Null: unfinished. */
  verdict: Verdict | null
}

/** The iterations of one run with the same key; or the usage of imports, which are no iterations and belong to no run. */
export interface IterationTotals extends Counts {
  run: RunId
  /** When the first of them began. */
  at: Instant
  /** The agent, model, task or feature; null: unknown. */
  shared: string | null
  /** The task's title; null or absent: none. */
  title?: string | null
}

interface Counts {
  iterations: number
  succeeded: number
  durationMs: Millis
  tokens: number
  usd: number
  /** Calls without a reported cost, reviews included: the real cost is higher by these. */
  unknown: number
  /** Calls whose cost is an estimate by list prices. */
  estimated: number
}

export interface StatsRow extends Counts {
  key: string
  /** The title of a task that is counted by its id. */
  title?: string
  runs: number
  /** Of those runs. */
  proven: number
  /** For tasks and features: how many were done and failed. The verdict of a whole run says nothing about a single task in it. */
  settled?: TaskTotals
}

export interface TaskTotals {
  done: number
  failed: number
}

export interface Stats {
  by: StatsBy
  rows: StatsRow[]
  total: StatsRow
}

export interface StatsFacts {
  runs: readonly StatsRun[]
  /** Ordered by run and, within a run, by first call. */
  sums: readonly IterationTotals[]
  /** For tasks and features: how many were done and failed, by key. Absent: stats by something else, or there are none. */
  settled?: readonly (TaskTotals & { shared: string | null })[]
}

/** `day` writes the day of an instant in the reader's zone. Rows are in the order of their first fact. */
export function buildStats({ runs, sums, settled }: StatsFacts, by: StatsBy, day: (at: Instant) => string): Stats {
  const proven = new Set(runs.filter(({ verdict }) => verdict === 'proven').map(({ run }) => run))
  const known = new Set(runs.map(({ run }) => run))
  const groups = new Map<string, IterationTotals[]>()
  for (const sum of sums) {
    const key = keyOf(sum, by, day)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [sum])
    else group.push(sum)
  }
  // A run that ended before its first iteration is still a run.
  if (by === 'run') for (const { run } of runs) if (!groups.has(run)) groups.set(run, [])
  const rows = [...groups].map(([key, group]) =>
    rowOf(key, group, {
      runs: (by === 'run' ? [key] : group.map(({ run }) => run)).filter((run) => known.has(run)),
      proven,
    }),
  )
  const total = rowOf(TOTAL, sums, { runs: runs.map(({ run }) => run), proven })
  return settled === undefined ? { by, rows, total } : withFinished({ by, rows, total }, settled)
}

function withFinished({ by, rows, total }: Stats, settled: NonNullable<StatsFacts['settled']>): Stats {
  const add = (some: readonly TaskTotals[]): TaskTotals => ({
    done: some.reduce((sum, { done }) => sum + done, 0),
    failed: some.reduce((sum, { failed }) => sum + failed, 0),
  })
  const of = (key: string): TaskTotals => add(settled.filter(({ shared }) => named(shared, by) === key))
  return { by, rows: rows.map((row) => ({ ...row, settled: of(row.key) })), total: { ...total, settled: add(settled) } }
}

function keyOf({ run, at, shared }: IterationTotals, by: StatsBy, day: (at: Instant) => string): string {
  if (by === 'run') return run
  return by === 'day' ? day(at) : named(shared, by)
}

const UNNAMED: Partial<Record<StatsBy, string>> = { model: '(unknown)', task: '(no task)', feature: '(no feature)' }

function named(shared: string | null, by: StatsBy): string {
  return shared ?? UNNAMED[by] ?? ''
}

const TOTAL = 'total'

function rowOf(
  key: string,
  sums: readonly IterationTotals[],
  of: { runs: RunId[]; proven: ReadonlySet<RunId> },
): StatsRow {
  const runs = new Set(of.runs)
  const sum = (count: keyof Counts): number => sums.reduce((total, one) => total + one[count], 0)
  const title = sums.at(-1)?.title ?? null
  return {
    key,
    ...(title === null || key === TOTAL ? {} : { title }),
    runs: runs.size,
    proven: [...runs].filter((run) => of.proven.has(run)).length,
    iterations: sum('iterations'),
    succeeded: sum('succeeded'),
    durationMs: sum('durationMs'),
    tokens: sum('tokens'),
    usd: sum('usd'),
    unknown: sum('unknown'),
    estimated: sum('estimated'),
  }
}

const COLUMNS = [
  'key',
  'runs',
  'proven',
  'iterations',
  'succeeded',
  'durationMs',
  'tokens',
  'usd',
  'unknown',
  'estimated',
] as const

/** In the format of RFC 4180, escaped so that no spreadsheet reads a name as a formula. */
export function statsCsv({ by, rows, total }: Stats): string {
  const more = total.settled === undefined ? [] : (['done', 'failed'] as const)
  const head = [...COLUMNS.map((column) => (column === 'key' ? by : column)), ...more].join(',')
  const lines = rows.map((row) =>
    [...COLUMNS.map((column) => row[column]), ...more.map((column) => row.settled?.[column] ?? 0)].map(cell).join(','),
  )
  return `${[head, ...lines].join('\r\n')}\r\n`
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
