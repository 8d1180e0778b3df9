/**
 * Moved project folders. The store identifies a working tree by its path, which people see, and saves the tree's identity with it. If a
 * known tree appears at another path, it was moved, and its data moves to the new path.
 */
import { RalphError } from '../../core/error.ts'
import { exists } from '../../system/files/files.ts'
import { lockOwnerOf } from '../lock.ts'
import { deleteMeta, setMeta, getMeta } from './meta.ts'
import type { Sql } from './sql.ts'
import { parseStoredJson } from './stored-json.ts'
import { tryQuietly } from './writer-marks.ts'

export interface WorktreeIdentity {
  /** `main`, or the name of a linked worktree. */
  name: string
  /** Null: unknown. */
  id: string | null
}

/** Moves the data that was saved for this tree under an earlier path to `workspace`. */
export async function followMovedProject(sql: Sql, workspace: string, tree: WorktreeIdentity): Promise<void> {
  const known = await treesKnown(sql)
  if (known.some((one) => one.workspace === workspace && one.id === tree.id)) return
  for (const { workspace: from } of known.filter((one) => wasMoved(one, { workspace, ...tree }))) {
    const lockOwner = await lockOwnerOf(sql, from)
    if (lockOwner !== null) throw movedUnder(lockOwner.pid, { from, to: workspace })
    // On a read-only disk the data cannot move, but no run can continue there either.
    await tryQuietly(() => sql.transaction((tx) => follow(tx, { from, to: workspace })))
  }
}

/** Saves which tree is at this path. Returns the path it was moved from since the last run, to report it once; null: none. */
export async function saveWorktreePath(sql: Sql, workspace: string, tree: WorktreeIdentity): Promise<string | null> {
  return sql.transaction(async (tx) => {
    await setMeta(tx, `${TREE}${workspace}`, JSON.stringify(tree))
    const moved = await getMeta(tx, MOVED + workspace)
    await deleteMeta(tx, MOVED + workspace)
    return moved
  })
}

type KnownTree = WorktreeIdentity & { workspace: string }

/**
 * The same git folder means the same tree. A copied repository has new folders: its main tree counts as moved if nothing exists at the
 * old path. A linked worktree with a new folder is a new tree, even under an old name: the earlier one was removed, and its unfinished
 * run does not belong to the new one.
 */
function wasMoved(left: KnownTree, here: KnownTree): boolean {
  if (left.workspace === here.workspace || left.name !== here.name) return false
  if (left.id !== null && left.id === here.id) return true
  return here.name === 'main' && !exists(left.workspace)
}

const TREE = 'tree:'
/** The previous path of a moved tree; deleted once a run has reported it. */
const MOVED = 'moved:'

async function treesKnown(sql: Sql): Promise<KnownTree[]> {
  const rows = await sql.all<{ key: string; value: string }>(
    `select key, value from meta where key >= 'tree:' and key < 'tree;'`,
  )
  return rows.map(({ key, value }) => {
    const workspace = key.slice(TREE.length)
    return { ...(parseStoredJson(value, { workspace }) as WorktreeIdentity), workspace }
  })
}

async function follow(tx: Sql, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.run('update runs set workspace = ?, project = ? where workspace = ?', to, to, from)
  await tx.run('delete from locks where workspace = ?', from)
  for (const kind of ['reset:breaker:', 'reset:conversation:', 'old-turns:', TREE]) {
    const value = await getMeta(tx, kind + from)
    if (value !== null) await setMeta(tx, kind + to, value)
    await deleteMeta(tx, kind + from)
  }
  await setMeta(tx, MOVED + to, from)
}

function movedUnder(pid: number, { from, to }: { from: string; to: string }): RalphError {
  return new RalphError('held', `${from} was moved to ${to} while process ${pid} was running in it`, {
    hint: `That process cannot continue. End it with: kill ${pid}. Then run the same command again.`,
  })
}
