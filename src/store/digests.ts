/**
 * Digests of runs. One is kept every so many rows, in the transaction that appends them; a run is told from the last one and the rows since,
 * so that its report costs the same after a week as after an hour.
 */
import { RalphError } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import { DIGEST_VERSION, foldDigest, EMPTY_DIGEST, type RunDigest } from '../core/presentation/run-digest.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'
import { streamRowsAfter } from './record.ts'

/** Between two of them: to fold so many rows takes a few milliseconds. */
const ROWS = 200

/** After the rows `from` + 1 to `to` were appended. */
export async function saveDigest(tx: Sql, run: RunId, { from, to }: { from: number; to: number }): Promise<void> {
  if (Math.floor(from / ROWS) === Math.floor(to / ROWS)) return
  try {
    await setMeta(tx, keyOf(run), JSON.stringify(await loadDigest(tx, run)))
  } catch (error) {
    // A damaged row is told to whoever asks for it; the run itself reads none and goes on.
    if (!(error instanceof RalphError) || error.code !== 'store-damaged') throw error
  }
}

/** Of all its rows. */
export async function loadDigest(sql: Sql, run: RunId): Promise<RunDigest> {
  let digest = (await keptDigest(sql, run)) ?? EMPTY_DIGEST
  for await (const row of streamRowsAfter(sql, run, digest.seq)) digest = foldDigest(digest, row)
  return digest
}

/** Null: none was kept, or another version kept it. */
async function keptDigest(sql: Sql, run: RunId): Promise<RunDigest | null> {
  const text = await getMeta(sql, keyOf(run))
  if (text === null) return null
  const digest = parseStoredJson(text, run) as RunDigest
  return digest.shape === DIGEST_VERSION ? digest : null
}

export async function deleteDigest(tx: Sql, run: RunId): Promise<void> {
  await deleteMeta(tx, keyOf(run))
}

function keyOf(run: RunId): string {
  return `digest:${run}`
}
