/** Evidence: each gate result with the tree and the protected files it was measured on. */
import type { RunId, TreeHash, WorkerId } from '../core/ids.ts'
import type { Evidence } from '../core/proof/evidence.ts'
import type { Sql } from './db/sql.ts'
import { parseStoredJson } from './db/stored-json.ts'

export interface EvidenceEntry {
  run: RunId
  worker: WorkerId
  /** 0: before the first iteration. */
  iteration: number
  evidence: Evidence
}

const COLUMNS = `run, worker, iteration, gate, command, tree, guarded, exit_code, signal, timed_out, missing, duration_ms, at, log,
  summary, unstable, purpose, failing, tests`

/** All evidence of a run, oldest first. */
export async function evidenceOfRun(sql: Sql, run: RunId): Promise<EvidenceEntry[]> {
  const rows = await sql.all<StoredEvidence>(`select ${COLUMNS} from evidence where run = ? order by id`, run)
  return rows.map(readEvidence)
}

/** The newest result of a gate on exactly this tree with exactly these protected files, from any run; null if there is none. */
export async function findEvidence(
  sql: Sql,
  of: { gate: string; command: string; tree: TreeHash; guarded: string },
): Promise<EvidenceEntry | null> {
  const row = await sql.get<StoredEvidence>(
    `select ${COLUMNS} from evidence where tree = ? and gate = ? and command = ? and guarded = ? order by id desc limit 1`,
    of.tree,
    of.gate,
    of.command,
    of.guarded,
  )
  return row === null ? null : readEvidence(row)
}

interface StoredEvidence {
  run: string
  worker: string
  iteration: number
  gate: string
  command: string
  tree: string
  guarded: string
  exit_code: number | null
  signal: string | null
  timed_out: number
  missing: number
  duration_ms: number
  at: number
  log: string
  summary: string
  unstable: number
  purpose: string
  failing: string
  tests: number | null
}

function readEvidence(row: StoredEvidence): EvidenceEntry {
  return {
    run: row.run,
    worker: row.worker,
    iteration: row.iteration,
    evidence: {
      gate: row.gate,
      command: row.command,
      tree: row.tree,
      guarded: row.guarded,
      exit: row.exit_code,
      signal: row.signal,
      timedOut: row.timed_out === 1,
      missing: row.missing === 1,
      durationMs: row.duration_ms,
      at: row.at,
      log: row.log,
      summary: row.summary,
      unstable: row.unstable === 1,
      purpose: row.purpose as Evidence['purpose'],
      failing: parseStoredJson(row.failing, row.run) as string[],
      tests: row.tests,
    },
  }
}
