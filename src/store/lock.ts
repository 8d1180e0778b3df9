/**
 * The lock of a working tree: one process at a time works in it. A dead owner (its pid is gone, belongs to another process, or is from
 * before a reboot) is replaced by the first process that asks; a living one never is.
 */
import type { Instant, RunId } from '../core/ids.ts'
import { type ProcessIdentity, isAlive } from '../system/process/process-identity.ts'
import type { Sql } from './db/sql.ts'

export interface LockOwner extends ProcessIdentity {
  /** As typed, for the message to a second process. */
  command: string
  run: RunId | null
  since: Instant
}

export type LockResult = { held: true } | { held: false; by: LockOwner }

/** Locks the working tree, or returns the current owner. */
export async function acquireLock(sql: Sql, workspace: string, who: LockOwner): Promise<LockResult> {
  for (;;) {
    if (await insertLockOwner(sql, workspace, who)) return { held: true }
    const found = await readLockOwner(sql, workspace)
    if (found === null) continue
    if (isAlive(found)) return { held: false, by: found }
    // The process that removes the dead owner inserts itself next; the others find the new owner.
    await releaseLock(sql, workspace, found)
  }
}

/** Unlocks the working tree; does nothing if another process owns the lock by now. */
export async function releaseLock(sql: Sql, workspace: string, identity: ProcessIdentity): Promise<void> {
  await sql.run(
    'delete from locks where workspace = ? and pid = ? and start_time = ? and boot = ?',
    workspace,
    identity.pid,
    identity.startTime,
    identity.boot,
  )
}

/** The living owner of the lock; null: there is none. */
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
  const row = await sql.get<LockOwner>(
    'select pid, start_time as "startTime", boot, command, run, since from locks where workspace = ?',
    workspace,
  )
  return row === null ? null : { ...row }
}
