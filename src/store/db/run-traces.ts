/** What tells that runs were written here, if the database is gone or empty: the note beside it, or the logs of a run. */
import { dirname, join } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import { isFolder, listFolder } from '../../system/files/files.ts'
import { readLastRowNote } from './last-row-note.ts'
import { lastQuarantined } from './quarantine.ts'

/** Null: nothing does. */
export function findRunTraces(file: string): { run: RunId; seq: number | null } | null {
  const newest = readLastRowNote(file)
  if (newest !== null) return newest
  // Logs of a store that was quarantined are accounted for.
  if (lastQuarantined(file) !== null) return null
  const logs = join(dirname(file), 'logs')
  const run = listFolder(logs).find((name) => RUN.test(name) && isFolder(join(logs, name)))
  return run === undefined ? null : { run, seq: null }
}

/** As `randomId` makes them: in the same folder lie the logs of engines and of `verify`. */
const RUN = /^[0-9a-hjkmnp-tv-z]{6}$/
