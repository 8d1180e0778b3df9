/**
 * Digests of runs. The transaction that appends rows saves one every two hundred rows. A report starts from the last digest and the rows
 * after it, so it costs the same after a week as after an hour.
 */
import { RalphError } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import { DIGEST_VERSION, foldDigest, EMPTY_DIGEST, type RunDigest } from '../core/presentation/run-digest.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'
import { streamRowsAfter } from './record.ts'

/** Rows between two digests: folding this many takes a few milliseconds. */
const ROWS = 200

/** After the rows `from` + 1 to `to` were appended. */
export async function saveDigest(tx: Sql, run: RunId, { from, to }: { from: number; to: number }): Promise<void> {
  if (Math.floor(from / ROWS) === Math.floor(to / ROWS)) return
  try {
    await setMeta(tx, keyOf(run), JSON.stringify(await loadDigest(tx, run)))
  } catch (error) {
    // Commands that read a damaged row report it; the run itself reads none and continues.
    if (!(error instanceof RalphError) || error.code !== 'store-damaged') throw error
  }
}

/** Of all its rows. */
export async function loadDigest(sql: Sql, run: RunId): Promise<RunDigest> {
  let digest = (await keptDigest(sql, run)) ?? EMPTY_DIGEST
  for await (const row of streamRowsAfter(sql, run, digest.seq)) digest = foldDigest(digest, row)
  return digest
}

/** Null: no digest was saved, or another version saved it. */
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
