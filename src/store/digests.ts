/**
 * Digests of runs. One is kept every so many rows, in the transaction that appends them; a run is told from the last one and the rows since,
 * so that its report costs the same after a week as after an hour.
 */
import { RalphError } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import { DIGEST_SHAPE, foldDigest, NO_DIGEST, type Digest } from '../domain/tell/digest.ts'
import { forgetMeta, keepMeta, metaOf } from './db/meta.ts'
import { storedJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'
import { rowsSince } from './record.ts'

/** Between two of them: to fold so many rows takes a few milliseconds. */
const ROWS = 200

/** After the rows `from` + 1 to `to` were appended. */
export async function keepDigest(
  tx: Sql,
  run: RunId,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (Math.floor(from / ROWS) === Math.floor(to / ROWS)) return
  try {
    await keepMeta(tx, keyOf(run), JSON.stringify(await digestOf(tx, run)))
  } catch (error) {
    // A damaged row is told to whoever asks for it; the run itself reads none and goes on.
    if (!(error instanceof RalphError) || error.code !== 'store-damaged') throw error
  }
}

/** Of all its rows. */
export async function digestOf(sql: Sql, run: RunId): Promise<Digest> {
  let digest = (await keptDigest(sql, run)) ?? NO_DIGEST
  for await (const row of rowsSince(sql, run, digest.seq)) digest = foldDigest(digest, row)
  return digest
}

/** Null: none was kept, or another version kept it. */
async function keptDigest(sql: Sql, run: RunId): Promise<Digest | null> {
  const text = await metaOf(sql, keyOf(run))
  if (text === null) return null
  const digest = storedJson(text, run) as Digest
  return digest.shape === DIGEST_SHAPE ? digest : null
}

export async function forgetDigest(tx: Sql, run: RunId): Promise<void> {
  await forgetMeta(tx, keyOf(run))
}

function keyOf(run: RunId): string {
  return `digest:${run}`
}
