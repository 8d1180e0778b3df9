/**
 * Which process works in a working tree: one at a time. A holder that died (its pid gone, or given to another process, or from
 * before a reboot) is replaced by whoever comes first; a living one is never pushed aside.
 */
import type { Instant, RunId } from '../domain/ids.ts'
import { type Identity, isAlive } from '../system/process/identity.ts'
import type { Sql } from './db/sql.ts'

export interface Holder extends Identity {
  /** As typed, for the one who has to wait. */
  command: string
  run: RunId | null
  since: Instant
}

export type Hold = { held: true } | { held: false; by: Holder }

/** Takes the working tree, or says who has it. */
export async function takeHold(sql: Sql, workspace: string, who: Holder): Promise<Hold> {
  for (;;) {
    if (await insertHolder(sql, workspace, who)) return { held: true }
    const found = await readHolder(sql, workspace)
    if (found === null) continue
    if (isAlive(found)) return { held: false, by: found }
    // Whoever removes the dead holder it saw goes on to insert; the others find the new one.
    await releaseHold(sql, workspace, found)
  }
}

/** Gives the working tree back; nothing happens if somebody else holds it by now. */
export async function releaseHold(sql: Sql, workspace: string, identity: Identity): Promise<void> {
  await sql.run(
    'delete from holders where workspace = ? and pid = ? and start_time = ? and boot = ?',
    workspace,
    identity.pid,
    identity.startTime,
    identity.boot,
  )
}

/** Who works here now; null for nobody, which includes the dead. */
export async function holderOf(sql: Sql, workspace: string): Promise<Holder | null> {
  const found = await readHolder(sql, workspace)
  return found !== null && isAlive(found) ? found : null
}

async function insertHolder(sql: Sql, workspace: string, who: Holder): Promise<boolean> {
  const inserted = await sql.run(
    `insert into holders (workspace, pid, start_time, boot, command, run, since) values (?, ?, ?, ?, ?, ?, ?)
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

async function readHolder(sql: Sql, workspace: string): Promise<Holder | null> {
  const row = await sql.get<StoredHolder>(
    'select pid, start_time, boot, command, run, since from holders where workspace = ?',
    workspace,
  )
  if (row === null) return null
  const { pid, boot, command, run, since } = row
  return { pid, startTime: row.start_time, boot, command, run, since }
}

interface StoredHolder {
  pid: number
  start_time: string
  boot: string
  command: string
  run: string | null
  since: number
}
