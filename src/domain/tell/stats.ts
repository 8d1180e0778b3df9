/** Runs and iterations counted by run, day, agent, model or task. */
import type { Instant, Millis, RunId } from '../ids.ts'
import type { Verdict } from '../proof/evidence.ts'

export const STATS_BY = ['run', 'day', 'agent', 'model', 'task'] as const
export type StatsBy = (typeof STATS_BY)[number]

export interface RunFact {
  run: RunId
  startedAt: Instant
  /** Null: unfinished. */
  verdict: Verdict | null
}

export interface IterationFact {
  run: RunId
  at: Instant
  agent: string
  model: string | null
  /** The box of the plan that was next when it began. */
  task: string | null
  ok: boolean
  durationMs: Millis
  /** Null: the vendor did not tell. */
  tokens: number | null
  usd: number | null
  /** The money is our estimate. */
  estimated: boolean
}

export interface StatsRow {
  key: string
  runs: number
  /** Of those runs. */
  proven: number
  iterations: number
  succeeded: number
  durationMs: Millis
  tokens: number
  usd: number
  /** Iterations whose cost nobody told: the money is too low by these. */
  unknown: number
  /** Iterations whose cost is an estimate by list prices. */
  estimated: number
}

export interface Stats {
  by: StatsBy
  rows: StatsRow[]
  total: StatsRow
}

export interface Facts {
  runs: readonly RunFact[]
  iterations: readonly IterationFact[]
}

/** `day` writes the day of an instant in the reader's zone. Rows come in the order in which their first fact came. */
export function countStats({ runs, iterations }: Facts, by: StatsBy, day: (at: Instant) => string): Stats {
  const verdicts = new Map(runs.map((run) => [run.run, run.verdict]))
  const groups = new Map<string, IterationFact[]>()
  for (const fact of iterations) {
    const key = keyOf(fact, by, day)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [fact])
    else group.push(fact)
  }
  // A run that ended before its first iteration is still a run.
  if (by === 'run') for (const { run } of runs) if (!groups.has(run)) groups.set(run, [])
  const rows = [...groups].map(([key, facts]) =>
    rowOf(key, facts, by === 'run' ? [key] : runsOf(facts), verdicts),
  )
  return {
    by,
    rows,
    total: rowOf(
      'total',
      [...iterations],
      runs.map((run) => run.run),
      verdicts,
    ),
  }
}

function keyOf(fact: IterationFact, by: StatsBy, day: (at: Instant) => string): string {
  const keys: Record<StatsBy, () => string> = {
    run: () => fact.run,
    day: () => day(fact.at),
    agent: () => fact.agent,
    model: () => fact.model ?? '(not told)',
    task: () => fact.task ?? '(no task)',
  }
  return keys[by]()
}

function runsOf(facts: IterationFact[]): RunId[] {
  return [...new Set(facts.map((fact) => fact.run))]
}

function rowOf(
  key: string,
  facts: IterationFact[],
  runs: RunId[],
  verdicts: Map<RunId, Verdict | null>,
): StatsRow {
  const sum = (of: (fact: IterationFact) => number): number =>
    facts.reduce((total, fact) => total + of(fact), 0)
  return {
    key,
    runs: runs.length,
    proven: runs.filter((run) => verdicts.get(run) === 'proven').length,
    iterations: facts.length,
    succeeded: sum((fact) => (fact.ok ? 1 : 0)),
    durationMs: sum((fact) => fact.durationMs),
    tokens: sum((fact) => fact.tokens ?? 0),
    usd: sum((fact) => fact.usd ?? 0),
    unknown: sum((fact) => (fact.usd === null ? 1 : 0)),
    estimated: sum((fact) => (fact.estimated ? 1 : 0)),
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

/** As RFC 4180 wants it, and such that no spreadsheet takes a name for a formula. */
export function statsCsv({ by, rows }: Stats): string {
  const head = COLUMNS.map((column) => (column === 'key' ? by : column)).join(',')
  const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(','))
  return `${[head, ...lines].join('\r\n')}\r\n`
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
