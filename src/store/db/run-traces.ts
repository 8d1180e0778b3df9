/** Traces of runs when the database is missing or empty: the note of the last row, or the logs of a run. */
import { dirname, join } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import { isFolder, listFolder } from '../../system/files/files.ts'
import { readLastRowNote } from './last-row-note.ts'
import { lastQuarantinedPath } from './quarantine.ts'

/** Null: there are no traces. */
export function findRunTraces(file: string): { run: RunId; seq: number | null } | null {
  const newest = readLastRowNote(file)
  if (newest !== null) return newest
  // The logs belong to the quarantined store.
  if (lastQuarantinedPath(file) !== null) return null
  const logs = join(dirname(file), 'logs')
  const run = listFolder(logs).find((name) => RUN.test(name) && isFolder(join(logs, name)))
  return run === undefined ? null : { run, seq: null }
}

/** Run ids as `randomId` makes them: the same folder has other logs, such as those of engines. */
const RUN = /^[0-9a-hjkmnp-tv-z]{6}$/
