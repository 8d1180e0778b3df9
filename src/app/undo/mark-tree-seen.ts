/** Keeps the base when Ralph itself reverts a tree: that is no person's edit. */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { saveSeenTree } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { readIfExists } from '../../system/files/files.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { projectArchiveFolder } from '../../workspace/archive/archive-folder.ts'
import { openTreeArchive, type TreeArchive } from '../../workspace/archive/tree-archive.ts'
import { withStoreIfAny } from '../open-store.ts'

export interface TreeChangeContext {
  root: string
  repo: Repo
  /** The plan, relative to the project; null: no plan is configured. */
  plan: string | null
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** Called before the tree is reverted: no run may work in it. */
export async function refuseDuringRun(sql: Sql, root: string): Promise<void> {
  const lockOwner = await lockOwnerOf(sql, root)
  if (lockOwner === null) return
  throw new RalphError('held', `"${lockOwner.command}" (process ${lockOwner.pid}) is running in ${root}`, {
    hint: 'Stop it first: ralph stop',
  })
}

/** Called after the tree was reverted: later changes count as a person's again. A pending acceptance is dropped with the tree. */
export async function markTreeAsSeen(context: TreeChangeContext): Promise<void> {
  const { root, repo, plan } = context
  const { tree } = await takeSnapshot(repo, { ref: null })
  const text = plan === null ? null : readIfExists(join(root, plan))
  const kept = text === null ? null : archiveOf(context).keep(text)
  // A project that never ran has no base.
  await withStoreIfAny(root, ({ sql }) => saveSeenTree(sql, root, { tree, plan: kept }))
}

export function archiveOf({ root, repo, env, home }: Omit<TreeChangeContext, 'plan'>): TreeArchive {
  return openTreeArchive(projectArchiveFolder(root, repo, { env, home }))
}
