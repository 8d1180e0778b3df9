/** Checks that the store is valid, private, and on a disk that supports locks. */
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { isTextIndexDamage, rebuildTextIndexSql } from '../../store/db/dialect.ts'
import { lostRowsMessage } from '../../store/db/last-row-note.ts'
import type { Store } from '../../store/db/open-store.ts'
import { recoveryHint, lastQuarantinedPath } from '../../store/db/quarantine.ts'
import { MULTI_STAGE_RUN_SQL } from '../../store/run-kind-sql.ts'
import type { Sql } from '../../store/db/sql.ts'
import { damagedStoreError } from '../../store/db/sqlite-error.ts'
import { findWriteError } from '../../system/files/file-error.ts'
import { exists } from '../../system/files/files.ts'
import { runProgram } from '../../system/process/process.ts'
import { projectFoldersOf, withStore } from '../open-store.ts'
import { badFinding, okFinding, warnFinding, type Finding } from './finding.ts'

export async function storeFindings(root: string): Promise<Finding[]> {
  const folders = await projectFoldersOf(root).catch(storeErrorFinding)
  if ('level' in folders) return [folders]
  const { folder } = folders
  const file = join(folder, 'ralph.db')
  const there = nearest(folder)
  const before = quarantineFinding(file)
  const looked = await Promise.all([storeFinding(root), permissionFinding(file), diskSpaceFinding(there)])
  const findings = [...looked, writableFinding(there), before]
  return findings.filter((finding) => finding !== null)
}

function storeFinding(root: string): Promise<Finding> {
  return withStore(root, openedStoreFinding).catch(storeErrorFinding)
}

function storeErrorFinding(error: unknown): Finding {
  if (!(error instanceof RalphError)) throw error
  if (error.code === 'no-run') return okFinding('store', `${error.message}; the first run creates it`)
  return badFinding('store', error.message, error.hint ?? 'See: ralph status')
}

/** The folder itself, or the nearest existing folder above it. */
function nearest(folder: string): string {
  return exists(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))
}

async function openedStoreFinding({ sql, file, lost }: Store): Promise<Finding> {
  const shape = await sql.get<{ n: number }>('select user_version as n from pragma_user_version')
  const runs = await sql.get<{ n: number }>(`select count(*) as n from runs where ${MULTI_STAGE_RUN_SQL}`)
  const said = await quickCheckResult(sql)
  const mends = said !== 'ok' && isTextIndexDamage(said)
  if (mends) await sql.run(rebuildTextIndexSql('journal'))
  const left = mends ? await quickCheckResult(sql) : said
  if (left !== 'ok') throw damagedStoreError(file, left)
  if (lost !== null)
    return warnFinding(
      'store',
      lostRowsMessage(lost),
      'Restore the file if you have a copy; otherwise ralph loop continues with what is left',
    )
  return okFinding('store', `${file}, schema ${shape?.n ?? 0}, ${runs?.n ?? 0} ${runs?.n === 1 ? 'run' : 'runs'}`)
}

async function quickCheckResult(sql: Sql): Promise<string> {
  const sound = await sql.get<{ said: string }>('select quick_check as said from pragma_quick_check limit 1')
  return sound?.said ?? 'no answer'
}

/** A folder that is not writable would fail only when a run starts. */
function writableFinding(folder: string): Finding | null {
  const problem = findWriteError(folder)
  return problem === null
    ? null
    : badFinding('store', problem.message, problem.hint ?? 'Make it writable for your user')
}

/** A quarantined store uses disk space until somebody deletes it. */
function quarantineFinding(file: string): Finding | null {
  const kept = lastQuarantinedPath(file)
  return kept === null ? null : warnFinding('store', `a damaged store was quarantined as ${kept}`, recoveryHint(kept))
}

/** Null: the files are private, or `ls` is not available. */
async function permissionFinding(file: string): Promise<Finding | null> {
  const { stdout } = await runProgram(['ls', '-ld', file], { cwd: '/' })
  const mode = /^-[rwxsStT-]{9}/.exec(stdout)?.[0]
  if (mode === undefined || mode.endsWith('------')) return null
  return warnFinding('store', `other users can read ${file} (${mode})`, `chmod 600 '${file}'`)
}

/** A run of one night in a large project writes some megabytes of logs and snapshots. */
const ROOM_KB = 20 * 1024

/** A disk that does not respond must not block the other checks. */
const DISK_MS = 3_000

async function diskSpaceFinding(folder: string): Promise<Finding | null> {
  const { stdout, timedOut } = await runProgram(['df', '-P', folder], { cwd: '/', timeoutMs: DISK_MS })
  if (timedOut)
    return warnFinding(
      'store',
      `the disk of ${folder} does not respond`,
      'If it is a network disk, check that it is connected',
    )
  const device = stdout.trim().split('\n').at(-1) ?? ''
  const free = Number(/\s(\d+)\s+\d+%/.exec(device)?.[1] ?? ROOM_KB)
  if (free < ROOM_KB)
    return warnFinding(
      'store',
      `only ${Math.floor(free / 1024)} MB free on the disk of ${folder}`,
      'Free some space before a run',
    )
  if (!/^(?:[^/\s]+:\/|\/\/)/.test(device)) return null
  const what = `${folder} is on a network disk, where file locks may fail`
  return warnFinding('store', what, 'Work in a copy of the repository on a local disk')
}
