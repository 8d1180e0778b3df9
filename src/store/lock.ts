/**
 * Which process works in a working tree: one at a time. A holder that died (its pid gone, or given to another process, or from
 * before a reboot) is replaced by whoever comes first; a living one is never pushed aside.
 */
import type { Instant, RunId } from '../core/ids.ts'
import { type Identity, isAlive } from '../system/process/process-identity.ts'
import type { Sql } from './db/sql.ts'

export interface LockOwner extends Identity {
  /** As typed, for the one who has to wait. */
  command: string
  run: RunId | null
  since: Instant
}

export type LockResult = { held: true } | { held: false; by: LockOwner }

/** Takes the working tree, or says who has it. */
export async function acquireLock(sql: Sql, workspace: string, who: LockOwner): Promise<LockResult> {
  for (;;) {
    if (await insertLockOwner(sql, workspace, who)) return { held: true }
    const found = await readLockOwner(sql, workspace)
    if (found === null) continue
    if (isAlive(found)) return { held: false, by: found }
    // Whoever removes the dead holder it saw goes on to insert; the others find the new one.
    await releaseLock(sql, workspace, found)
  }
}

/** Gives the working tree back; nothing happens if somebody else holds it by now. */
export async function releaseLock(sql: Sql, workspace: string, identity: Identity): Promise<void> {
  await sql.run(
    'delete from locks where workspace = ? and pid = ? and start_time = ? and boot = ?',
    workspace,
    identity.pid,
    identity.startTime,
    identity.boot,
  )
}

/** Who works here now; null for nobody, which includes the dead. */
export async function lockOwnerOf(sql: Sql, workspace: string): Promise<LockOwner | null> {
  const found = await readLockOwner(sql, workspace)
  return found !== null && isAlive(found) ? found : null
}

async function insertLockOwner(sql: Sql, workspace: string, who: LockOwner): Promise<boolean> {
  const inserted = await sql.run(
    `insert into locks (workspace, pid, start_time, boot, command, run, since) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (workspace) do nothing`,
    workspace,
    who.pid,
    who.startTime,
    who.boot,
    who.command,
    who.run,
    who.since,
  )
  return inserted.changes === 1
}

async function readLockOwner(sql: Sql, workspace: string): Promise<LockOwner | null> {
  const row = await sql.get<StoredLockOwner>(
    'select pid, start_time, boot, command, run, since from locks where workspace = ?',
    workspace,
  )
  if (row === null) return null
  const { pid, boot, command, run, since } = row
  return { pid, startTime: row.start_time, boot, command, run, since }
}

interface StoredLockOwner {
  pid: number
  start_time: string
  boot: string
  command: string
  run: string | null
  since: number
}
