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

const COLUMNS = `run, worker, iteration, gate, command, tree, guarded, exit_code as "exit", signal, timed_out as "timedOut", missing,
  duration_ms as "durationMs", at, log, summary, unstable, purpose, failing, tests`

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

type StoredEvidence = Omit<EvidenceEntry, 'evidence'> &
  Omit<Evidence, 'timedOut' | 'missing' | 'unstable' | 'failing'> &
  Record<'timedOut' | 'missing' | 'unstable', number> & { failing: string }

function readEvidence({ run, worker, iteration, ...row }: StoredEvidence): EvidenceEntry {
  const evidence = {
    ...row,
    timedOut: row.timedOut === 1,
    missing: row.missing === 1,
    unstable: row.unstable === 1,
    failing: parseStoredJson(row.failing, run) as string[],
  }
  return { run, worker, iteration, evidence }
}
