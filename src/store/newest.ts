/**
 * The newest row that was committed, noted beside the database. The database cannot tell by itself that its end is missing: without
 * its `-wal` file, or put back from an older copy, it is sound and simply knows less. The note is written after the commit, so it
 * never knows of a row that was not there; it is overwritten in place without waiting for the disk, so it costs a row next to nothing.
 */
import { dirname, join } from 'node:path'
import type { RunId } from '../domain/ids.ts'
import { isFolder, listFolder, readIfThere, removeIfThere } from '../system/files.ts'
import { openNote } from '../system/small-note.ts'
import { setAsideBefore } from './set-aside.ts'
import type { Sql } from './sql.ts'

export interface Newest {
  run: RunId
  seq: number
}

export interface NewestNote {
  rows(rows: Newest[]): void
  close(): void
}

export function noteNewest(file: string): NewestNote {
  const note = openNote(noteOf(file))
  return {
    rows(rows) {
      const last = rows.at(-1)
      if (last !== undefined) note.write(JSON.stringify({ run: last.run, seq: last.seq }))
    },
    close: () => note.close(),
  }
}

/** For runs that are forgotten on purpose: nobody shall miss them. */
export function forgetNewest(file: string, runs: RunId[]): void {
  const newest = readNewest(file)
  if (newest !== null && runs.includes(newest.run)) removeIfThere(noteOf(file))
}

/** What was written and is not in the file. */
export interface Loss extends Newest {
  /** The last row of the run that is there; 0: nothing of it. */
  kept: number
  /** Whether the file had a `-wal` with rows in it when it was opened. */
  wal: boolean
}

/** `newest`: as it was noted before the database is asked, so that a row committed meanwhile is no loss. */
export async function lossIn(sql: Sql, newest: Newest | null, wal: boolean): Promise<Loss | null> {
  if (newest === null) return null
  const row = await sql.get<{ seq: number | null }>(
    'select max(seq) as seq from record where run = ?',
    newest.run,
  )
  const kept = row?.seq ?? 0
  return kept >= newest.seq ? null : { ...newest, kept, wal }
}

export function lossWords({ run, seq, kept, wal }: Loss): string {
  const why = wal
    ? 'the end of its -wal file is damaged'
    : 'its -wal file is gone, or it was put back from an older copy'
  if (kept === 0)
    return `The database knows nothing of run ${run}, of which ${seq} rows were written: ${why}. The run is lost, with what it cost; its logs are there.`
  const rows = kept + 1 === seq ? `Row ${seq} is` : `Rows ${kept + 1}–${seq} are`
  return `The database knows nothing after row ${kept} of run ${run}, but ${seq} were written: ${why}. ${rows} lost, with what they cost.`
}

/** What tells that runs were written here, if the database is gone or empty: the note, or the logs of a run. Null: nothing does. */
export function tracesOf(file: string): { run: RunId; seq: number | null } | null {
  const newest = readNewest(file)
  if (newest !== null) return newest
  // Logs of a store that was set aside are accounted for.
  if (setAsideBefore(file) !== null) return null
  const logs = join(dirname(file), 'logs')
  const run = listFolder(logs).find((name) => RUN.test(name) && isFolder(join(logs, name)))
  return run === undefined ? null : { run, seq: null }
}

/** As `randomId` makes them: in the same folder lie the logs of engines and of `verify`. */
const RUN = /^[0-9a-hjkmnp-tv-z]{6}$/

export function readNewest(file: string): Newest | null {
  try {
    const { run, seq } = JSON.parse(readIfThere(noteOf(file)) ?? 'null') as Record<string, unknown>
    return typeof run === 'string' && typeof seq === 'number' ? { run, seq } : null
  } catch {
    // No note, or one that was cut off by the power: it bears no witness.
    return null
  }
}

function noteOf(file: string): string {
  return `${file}-newest`
}
