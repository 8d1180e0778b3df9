/**
 * A note of the newest committed row, in a file beside the database. The database cannot detect that its end is missing: without its
 * `-wal` file, or restored from an older copy, it is intact and has fewer rows. Ralph writes the note after the commit, so it never
 * names a row that was not committed, and overwrites it in place without waiting for the disk, so it costs next to nothing.
 */
import type { RunId } from '../../core/ids.ts'
import { parseObject } from '../../core/text/json.ts'
import { readIfExists, removeIfExists } from '../../system/files/files.ts'
import {
  ownProcessIdentity,
  parseProcessIdentity,
  type ProcessIdentity,
} from '../../system/process/process-identity.ts'
import { openInPlaceTextFile } from '../../system/files/overwrite-file.ts'
import type { Sql } from './sql.ts'

/** A row of a run. */
interface Numbered {
  run: RunId
  seq: number
}

export interface LastRow extends Numbered {
  /** The process that wrote it, known even if a damaged database cannot list its writers. */
  by: ProcessIdentity
}

export interface LastRowNoteWriter {
  rows(rows: Numbered[]): void
  close(): void
}

export function openLastRowNote(file: string): LastRowNoteWriter {
  const note = openInPlaceTextFile(noteOf(file))
  return {
    rows(rows) {
      const last = rows.at(-1)
      if (last !== undefined) note.write(JSON.stringify({ run: last.run, seq: last.seq, by: ownProcessIdentity() }))
    },
    close: () => note.close(),
  }
}

/** For runs that Ralph deletes on purpose, so that they are not reported as lost. */
export function clearLastRowNote(file: string, runs: RunId[]): void {
  const newest = readLastRowNote(file)
  if (newest !== null && runs.includes(newest.run)) removeIfExists(noteOf(file))
}

/** Rows that were committed and are no longer in the file. */
export interface LostRows extends Numbered {
  /** The last row of the run in the file; 0: none. */
  kept: number
  /** Whether the file had a `-wal` with rows in it when it was opened. */
  wal: boolean
}

/** `newest`: the note as read before this query, so that a row committed meanwhile does not count as lost. */
export async function findLostRows(sql: Sql, newest: Numbered | null, wal: boolean): Promise<LostRows | null> {
  if (newest === null) return null
  const row = await sql.get<{ seq: number | null }>('select max(seq) as seq from record where run = ?', newest.run)
  const kept = row?.seq ?? 0
  return kept >= newest.seq ? null : { run: newest.run, seq: newest.seq, kept, wal }
}

export function lostRowsMessage({ run, seq, kept, wal }: LostRows): string {
  const why = wal ? 'the end of its -wal file is damaged' : 'its -wal file is gone, or an older copy was restored'
  if (kept === 0)
    return `Run ${run} wrote ${seq} rows, but the database has none of them: ${why}. The run and its cost are lost; its logs are still there.`
  const rows = kept + 1 === seq ? `Row ${seq} is` : `Rows ${kept + 1}–${seq} are`
  return `Run ${run} wrote ${seq} rows, but the database has only the first ${kept}: ${why}. ${rows} lost, and so is their cost.`
}

/** Null: there is no note, or it cannot be read, for example after a power failure. */
export function readLastRowNote(file: string): LastRow | null {
  try {
    const { run, seq, by } = parseObject(readIfExists(noteOf(file)) ?? '') ?? {}
    if (typeof run !== 'string' || typeof seq !== 'number') return null
    return { run, seq, by: parseProcessIdentity(by) }
  } catch {
    return null
  }
}

function noteOf(file: string): string {
  return `${file}-newest`
}
