/**
 * What completions are judged against, remembered across runs: the base of each working tree, what Ralph saw there last, which clean rooms
 * were found fit, and what people accepted. Saved in the transaction of the rows it follows from, so it is never ahead of the record.
 */
import type { TreeAndPlan } from '../core/state/effect.ts'
import type { RunState } from '../core/state/state.ts'
import type { Instant, RunId } from '../core/ids.ts'
import type { AcceptanceRequest } from '../core/proof/acceptance.ts'
import type { Base } from '../core/proof/base.ts'
import type { CleanRoomCheckResult } from '../core/proof/clean-room-check.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'

export interface SavedBase {
  base: Base
  /** Null: an agent may have worked since Ralph's last snapshot. */
  seen: TreeAndPlan | null
  run: RunId
  /** When it was last written. */
  at: Instant
  /** What a person has yet to accept. */
  acceptance: AcceptanceRequest | null
}

interface StoredBase {
  tree: string
  plan: string | null
  refs: string | null
  origin: string
  seen_tree: string | null
  seen_plan: string | null
  run: string
  at: number
  acceptance: string | null
}

export async function loadBase(sql: Sql, workspace: string): Promise<SavedBase | null> {
  const row = await sql.get<StoredBase>(
    'select tree, plan, refs, origin, seen_tree, seen_plan, run, at, acceptance from bases where workspace = ?',
    workspace,
  )
  if (row === null) return null
  return {
    base: { tree: row.tree, plan: row.plan, refs: row.refs, from: row.origin as Base['from'] },
    seen: row.seen_tree === null ? null : { tree: row.seen_tree, plan: row.seen_plan },
    run: row.run,
    at: row.at,
    acceptance: row.acceptance === null ? null : (parseStoredJson(row.acceptance, row.run) as AcceptanceRequest),
  }
}

/** After rows were appended: saves the base of the state. If the state has no base, the saved one stays. */
export async function saveBase(
  tx: Sql,
  state: RunState,
  { workspace, at }: { workspace: string; at: Instant },
): Promise<void> {
  const worker = Object.values(state.workers)[0]
  if (worker === undefined || worker.base === null) return
  if (worker.job.is === 'verify') return rememberVerified(tx, state, { workspace, at })
  const { base, seen, measured, hasOrphans, room, cleanRoomKey } = worker
  const known = measured && !hasOrphans ? seen : null
  const acceptance = state.run.outcome?.acceptance ?? null
  await tx.run(
    `insert into bases (workspace, tree, plan, refs, origin, seen_tree, seen_plan, run, at, acceptance)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (workspace) do update set tree = excluded.tree, plan = excluded.plan, refs = excluded.refs, origin = excluded.origin,
       seen_tree = excluded.seen_tree, seen_plan = excluded.seen_plan, run = excluded.run, at = excluded.at,
       acceptance = excluded.acceptance`,
    workspace,
    base.tree,
    base.plan,
    base.refs,
    base.from,
    known?.tree ?? null,
    known?.plan ?? null,
    state.run.id,
    at,
    acceptance === null ? null : JSON.stringify(acceptance),
  )
  // Only a fit clean room is saved: a person may fix an unfit one before the next run.
  if (room?.is === 'fit' && cleanRoomKey !== null) {
    await tx.run(
      `insert into clean_room_checks (workspace, key, result, at) values (?, ?, ?, ?)
       on conflict (workspace, key) do update set result = excluded.result, at = excluded.at`,
      workspace,
      cleanRoomKey,
      JSON.stringify(room),
      at,
    )
  }
}

/** A verification changes the base only when it ends: it moves the base to the proven state, or asks a person to accept it. */
async function rememberVerified(
  tx: Sql,
  { run, workers }: RunState,
  { workspace, at }: { workspace: string; at: Instant },
): Promise<void> {
  const worker = Object.values(workers)[0]
  if (run.outcome === null || worker === undefined || worker.base === null) return
  const { base, room, seen } = worker
  const { verdict, acceptance } = run.outcome
  const of = { run: run.id, at }
  if (acceptance !== undefined) return savePendingAcceptance(tx, workspace, { acceptance, base, ...of })
  if (verdict !== 'proven') return
  await saveMovedBase(tx, workspace, { base, tests: room?.is === 'fit' ? room.tests : null, ...of })
  if (seen !== null) await saveSeenTree(tx, workspace, { tree: seen.tree, plan: base.plan })
}

export async function loadCleanRoomCheck(
  sql: Sql,
  workspace: string,
  key: string,
): Promise<CleanRoomCheckResult | null> {
  const row = await sql.get<{ result: string }>(
    'select result from clean_room_checks where workspace = ? and key = ?',
    workspace,
    key,
  )
  return row === null ? null : (parseStoredJson(row.result, { workspace }) as CleanRoomCheckResult)
}

/** Ralph itself changed the tree (an undo). No person edited it, so the base stays as it is. */
export async function saveSeenTree(sql: Sql, workspace: string, seen: TreeAndPlan): Promise<void> {
  await sql.run(
    'update bases set seen_tree = ?, seen_plan = ?, acceptance = null where workspace = ?',
    seen.tree,
    seen.plan,
    workspace,
  )
}

/** After an undo was reverted: restores the last seen tree and the pending acceptance. */
export async function restoreSeenTree(
  sql: Sql,
  workspace: string,
  { seen, acceptance }: Pick<SavedBase, 'seen' | 'acceptance'>,
): Promise<void> {
  await sql.run(
    'update bases set seen_tree = ?, seen_plan = ?, acceptance = ? where workspace = ?',
    seen?.tree ?? null,
    seen?.plan ?? null,
    acceptance === null ? null : JSON.stringify(acceptance),
    workspace,
  )
}

export interface NewBase {
  base: Base
  run: RunId
  at: Instant
  /** Tests that ran there; null: unknown. */
  tests: number | null
}

/** Moves the base to what `ralph verify` proved or a person accepted, and marks it as tried in the saved clean-room checks. */
export async function saveMovedBase(sql: Sql, workspace: string, moved: NewBase): Promise<void> {
  const { base, run, at } = moved
  await sql.transaction(async (tx) => {
    await updateCleanRoomChecks(tx, workspace, moved)
    await tx.run(
      `insert into bases (workspace, tree, plan, refs, origin, run, at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (workspace) do update set tree = excluded.tree, plan = excluded.plan, refs = excluded.refs, origin = excluded.origin,
         acceptance = null, at = excluded.at`,
      workspace,
      base.tree,
      base.plan,
      base.refs,
      base.from,
      run,
      at,
    )
  })
}

async function updateCleanRoomChecks(tx: Sql, workspace: string, { base, run, tests }: NewBase): Promise<void> {
  const rooms = await tx.all<{ key: string; result: string }>(
    'select key, result from clean_room_checks where workspace = ?',
    workspace,
  )
  for (const { key, result } of rooms) {
    const tried = { ...(parseStoredJson(result, run) as CleanRoomCheckResult), base: base.tree, tests }
    await tx.run(
      'update clean_room_checks set result = ? where workspace = ? and key = ?',
      JSON.stringify(tried),
      workspace,
      key,
    )
  }
}

export interface AcceptanceAnswer {
  workspace: string
  run: RunId
  at: Instant
  who: string
  /** `yes`: the person accepted all files, and so the state. */
  answer: 'yes' | 'no'
  /** The accepted or the rejected files. */
  files: string[]
}

/** Saves a person's answer. After a yes, the completion's state is the new base and the run counts as proven. */
export async function saveAcceptanceAnswer(
  sql: Sql,
  said: AcceptanceAnswer,
  acceptance: AcceptanceRequest,
): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.run(
      'insert into acceptances (workspace, run, at, who, answer, files) values (?, ?, ?, ?, ?, ?)',
      said.workspace,
      said.run,
      said.at,
      said.who,
      said.answer,
      JSON.stringify(said.files),
    )
    if (said.answer === 'no') {
      await tx.run('update bases set acceptance = null where workspace = ?', said.workspace)
      return
    }
    const { final: tree, plan, refs } = acceptance
    const base: Base = { tree, plan, refs, from: 'accepted' }
    await saveMovedBase(tx, said.workspace, { base, run: said.run, at: said.at, tests: null })
    await tx.run(
      `update runs set verdict = 'proven', reason = reason || ? where id = ? and outcome = 'needs_acceptance'`,
      `; accepted by ${said.who}`,
      said.run,
    )
  })
}

/** The files a person rejected last in this workspace; empty if their last answer was a yes. */
export async function lastRejectedFiles(sql: Sql, workspace: string): Promise<string[]> {
  const row = await sql.get<{ answer: string; files: string }>(
    'select answer, files from acceptances where workspace = ? order by id desc limit 1',
    workspace,
  )
  return row?.answer === 'no' ? (parseStoredJson(row.files, { workspace }) as string[]) : []
}

/** Saves what `ralph verify` asks a person to accept. `base`: what it was judged against, used if no base is saved yet. */
export async function savePendingAcceptance(
  sql: Sql,
  workspace: string,
  { acceptance, base, run, at }: { acceptance: AcceptanceRequest; base: Base; run: RunId; at: Instant },
): Promise<void> {
  await sql.run(
    `insert into bases (workspace, tree, plan, refs, origin, run, at, acceptance) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (workspace) do update set acceptance = excluded.acceptance`,
    workspace,
    base.tree,
    base.plan,
    base.refs,
    base.from,
    run,
    at,
    JSON.stringify(acceptance),
  )
}

/** A person's answer to the acceptance request of a run; null: none yet. */
export async function loadAcceptanceAnswer(sql: Sql, run: RunId): Promise<Omit<AcceptanceAnswer, 'workspace'> | null> {
  const row = await sql.get<{ at: number; who: string; answer: 'yes' | 'no'; files: string }>(
    'select at, who, answer, files from acceptances where run = ? order by id desc limit 1',
    run,
  )
  return row === null ? null : { ...row, run, files: parseStoredJson(row.files, run) as string[] }
}
