/** Ralph itself puts a tree back: that is nobody's edit, so what completions are judged against stays as it is. */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { saveSeenTree } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { readIfExists } from '../../system/files/files.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { archiveFolder } from '../../workspace/archive/archive-folder.ts'
import { openTreeArchive } from '../../workspace/archive/tree-archive.ts'
import { withStoreIfAny } from '../open-store.ts'

export interface TreeChangeContext {
  repo: Repo
  /** The plan, relative to the project; null: none is wanted. */
  plan: string | null
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** Before the tree is reverted: nobody works in it. */
export async function refuseDuringRun(sql: Sql, root: string): Promise<void> {
  const lockOwner = await lockOwnerOf(sql, root)
  if (lockOwner === null) return
  throw new RalphError('held', `"${lockOwner.command}" (process ${lockOwner.pid}) is working in ${root}`, {
    hint: 'Stop it first: ralph stop',
  })
}

/** After the tree was reverted: from here on a change is a person's again. What waited to be accepted is gone with the tree. */
export async function noteTreeChange(root: string, { repo, plan, env, home }: TreeChangeContext): Promise<void> {
  const { tree } = await takeSnapshot(repo, { ref: null })
  const text = plan === null ? null : readIfExists(join(root, plan))
  const kept = text === null ? null : openTreeArchive(archiveFolder(root, repo, { env, home })).keep(text)
  // A project that never ran has nothing to judge against.
  await withStoreIfAny(root, ({ sql }) => saveSeenTree(sql, root, { tree, plan: kept }))
}
