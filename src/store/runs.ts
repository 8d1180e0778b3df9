/** The runs of a project, newest first, and how a person names one: by its id or the first letters of it. */
import { RalphError } from '../core/error.ts'
import type { Instant, RunId } from '../core/ids.ts'
import type { RunKind } from '../core/state/run-kind.ts'
import type { OutcomeName } from '../core/state/outcome.ts'
import type { Verdict } from '../core/proof/evidence.ts'
import { suggest } from '../core/text/suggest.ts'
import { indexHint } from './db/dialect.ts'
import type { Sql } from './db/sql.ts'
import { ONE_STAGE_RUN_SQL, MULTI_STAGE_RUN_SQL } from './run-kind-sql.ts'
import { markRunEndReported } from './run-end-reported.ts'
import { deleteDigest } from './digests.ts'
import { deleteBashHistory } from './transitions.ts'
import { deleteCalls } from './usage.ts'

export interface RunEntry {
  id: RunId
  kind: RunKind
  workspace: string
  project: string
  command: string
  startedAt: Instant
  agent: string | null
  version: string
  /** The process that ran it last. */
  pid: number
  iterations: number
  /** Null: unfinished. */
  end: RunEnd | null
}

export interface RunEnd {
  at: Instant
  outcome: OutcomeName
  reason: string
  verdict: Verdict
  exit: number
}

const COLUMNS = `id, kind, workspace, project, command, started_at as "startedAt", agent, version, pid, iterations,
  ended_at as "endedAt", outcome, coalesce(reason, '') as reason, verdict, coalesce(exit_code, 0) as "exit"`

/** Without this hint SQLite's planner reads every run to sort them. */
const NEWEST_FIRST = indexHint('runs', 'runs_by_start')

const KINDS = { working: MULTI_STAGE_RUN_SQL, 'one-stage': ONE_STAGE_RUN_SQL, all: '1 = 1' } as const

export async function listRuns(
  sql: Sql,
  limit: number,
  { kinds = 'working' }: { kinds?: keyof typeof KINDS } = {},
): Promise<RunEntry[]> {
  const rows = await sql.all<StoredRun>(
    `select ${COLUMNS} from ${NEWEST_FIRST} where ${KINDS[kinds]} order by started_at desc, id desc limit ?`,
    limit,
  )
  return rows.map(readRun)
}

/** The newest run, of one workspace if given; `but`: of any other kind than this. */
export async function loadLatestRun(
  sql: Sql,
  workspace?: string,
  { but }: { but?: RunKind } = {},
): Promise<RunEntry | null> {
  if (workspace === undefined) return (await listRuns(sql, 1))[0] ?? null
  const row = await sql.get<StoredRun>(
    `select ${COLUMNS} from ${NEWEST_FIRST} where workspace = ? and ${MULTI_STAGE_RUN_SQL} and kind <> ? order by started_at desc, id desc limit 1`,
    workspace,
    but ?? '',
  )
  return row === null ? null : readRun(row)
}

/** The run that a crash or a pause left in this workspace. */
export async function loadUnfinishedRun(sql: Sql, workspace: string): Promise<RunEntry | null> {
  const row = await sql.get<StoredRun>(
    `select ${COLUMNS} from runs where workspace = ? and ended_at is null and ${MULTI_STAGE_RUN_SQL}
     order by started_at desc, id desc limit 1`,
    workspace,
  )
  return row === null ? null : readRun(row)
}

/** Interrupted one-stage runs of this workspace. They are never resumed. */
export async function listInterruptedOneStageRuns(sql: Sql, workspace: string): Promise<RunId[]> {
  const rows = await sql.all<{ id: string }>(
    `select id from runs where workspace = ? and ended_at is null and ${ONE_STAGE_RUN_SQL}`,
    workspace,
  )
  return rows.map(({ id }) => id)
}

export async function getRunEntry(sql: Sql, id: RunId): Promise<RunEntry | null> {
  const row = await sql.get<StoredRun>(`select ${COLUMNS} from runs where id = ?`, id)
  return row === null ? null : readRun(row)
}

/** The run with this id or id prefix. A one-stage run matches only if no other run does. */
export async function findRunByPrefix(sql: Sql, idOrPrefix: string): Promise<RunEntry> {
  const working = await matching(sql, idOrPrefix, MULTI_STAGE_RUN_SQL)
  const matches = working.length > 0 ? working : await matching(sql, idOrPrefix, ONE_STAGE_RUN_SQL)
  const chosen = matches.find((row) => row.id === idOrPrefix) ?? (matches.length === 1 ? matches[0] : undefined)
  if (chosen !== undefined && idOrPrefix !== '') return readRun(chosen)
  if (matches.length > 1)
    throw ambiguous(
      idOrPrefix,
      matches.map((row) => row.id),
    )
  throw await unknown(sql, idOrPrefix)
}

function matching(sql: Sql, prefix: string, kinds: string): Promise<StoredRun[]> {
  return sql.all<StoredRun>(
    `select ${COLUMNS} from runs where substr(id, 1, ?) = ? and ${kinds} order by started_at desc, id desc limit 6`,
    prefix.length,
    prefix,
  )
}

/** Tables whose rows belong to one run. */
const RUN_TABLES = ['record', 'state', 'parts', 'evidence', 'requests', 'undos', 'iterations', 'orphans']

/** Deletes a run with its data. Journal notes, open questions and undelivered answers stay: later runs need them. */
export async function deleteRun(tx: Sql, id: RunId): Promise<void> {
  for (const table of RUN_TABLES) await tx.run(`delete from ${table} where run = ?`, id)
  await deleteCalls(tx, id)
  await tx.run('delete from questions where run = ? and (dismissed_at is not null or told = 1)', id)
  await tx.run('delete from runs where id = ?', id)
  await markRunEndReported(tx, id)
  await deleteBashHistory(tx, id)
  await deleteDigest(tx, id)
}

function ambiguous(prefix: string, ids: string[]): RalphError {
  const named = ids.length > 5 ? `${ids.slice(0, 5).join(', ')} …` : ids.join(', ')
  return new RalphError('not-found', `"${prefix}" matches several runs: ${named}`, {
    hint: 'Type more of its id.',
  })
}

async function unknown(sql: Sql, asked: string): Promise<RalphError> {
  const recent = await sql.all<{ id: string }>(
    `select id from runs where ${MULTI_STAGE_RUN_SQL} order by started_at desc limit 200`,
  )
  // People type the beginning of an id, so this compares the beginnings. Three letters are too few to guess from.
  const commandPrefixes = new Map(recent.map(({ id }) => [id.slice(0, asked.length), id]))
  const near = asked.length < 4 ? undefined : commandPrefixes.get(suggest(asked, commandPrefixes.keys()) ?? '')
  const hint = near === undefined ? '' : `Did you mean ${near}? `
  return new RalphError('not-found', `there is no run "${asked}"`, { hint: `${hint}List the runs: ralph runs` })
}

type StoredRun = Omit<RunEntry, 'end'> & Omit<RunEnd, 'at'> & { endedAt: Instant | null }

function readRun({ endedAt, outcome, reason, verdict, exit, ...run }: StoredRun): RunEntry {
  return { ...run, end: endedAt === null ? null : { at: endedAt, outcome, reason, verdict, exit } }
}

/** The working tree that a run works in. */
export async function workspaceOfRun(sql: Sql, run: RunId): Promise<string> {
  const row = await sql.get<{ workspace: string }>('select workspace from runs where id = ?', run)
  if (row === null) throw new RalphError('bug', `run ${run} does not exist`)
  return row.workspace
}
