/** Prunes old runs, logs and snapshots by the limits in the settings. An unfinished run is never pruned. */
import { join } from 'node:path'
import type { Settings } from '../config/resolve.ts'
import type { RunId } from '../core/ids.ts'
import { deleteRun, listRuns } from '../store/runs.ts'
import { clearLastRowNote } from '../store/db/last-row-note.ts'
import type { Store } from '../store/db/open-store.ts'
import { useStore } from '../store/db/use-store.ts'
import { loadBase } from '../store/bases.ts'
import { fullEnvironment } from '../system/environment.ts'
import { exists, folderSize, removeFolder } from '../system/files/files.ts'
import { currentUser } from '../system/current-user.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, type Repo } from '../workspace/repo/find-repo.ts'
import { removeDeadLinks } from '../workspace/log-links.ts'
import { deleteSnapshots, pruneSnapshots } from '../workspace/repo/snapshot-refs.ts'
import { allArchivesFolder, projectArchiveFolder } from '../workspace/archive/archive-folder.ts'
import { listOrphanedArchives, removeArchives } from '../workspace/archive/remove-orphaned.ts'
import { openTreeArchive, type TreeArchive } from '../workspace/archive/tree-archive.ts'

export interface PruneTarget {
  root: string
  store: Store
  repo: Repo
  folder: string
  settings: Settings
  /** The archive that the run has open. Absent: none. */
  archive?: TreeArchive
}

const GB = 1024 ** 3
/** More runs than anybody has: the list must include the ones to delete. */
const ALL = 10_000

export interface PruneResult {
  /** Runs to delete with all their data. */
  runs: RunId[]
  /** Runs that keep their record and lose their logs. */
  logs: RunId[]
  /** The size of the logs of both. */
  bytes: number
  /** Archives of projects that no longer exist; each goes with its clean room. */
  orphans: string[]
}

/** `current`: the run that just ended, whose logs stay. */
export async function pruneRuns(kept: PruneTarget, current: RunId | null): Promise<PruneResult> {
  const { store, repo, folder, settings } = kept
  if (current !== null) await pruneSnapshots(repo, { run: current, keep: settings.values['keep.snapshots'] })
  const plan = await planPrune(kept, current)
  // Runs of other working trees have links to their logs there.
  const workspaces = new Set((await listRuns(store.sql, ALL)).map(({ workspace }) => workspace))
  clearLastRowNote(store.file, plan.runs)
  for (const run of plan.runs) {
    await store.sql.transaction((tx) => deleteRun(tx, run))
    await deleteSnapshots(repo, run)
  }
  for (const run of [...plan.runs, ...plan.logs]) removeFolder(join(folder, 'logs', run))
  for (const workspace of workspaces) removeDeadLinks(workspace, folder)
  await pruneArchive(kept)
  removeArchives(plan.orphans)
  return plan
}

/** Keeps the base of the project, and nothing of deleted projects. Prunes nothing of the project while an acceptance is pending. */
async function pruneArchive({ store, repo, root, archive }: PruneTarget): Promise<void> {
  const place = { env: fullEnvironment(), home: currentUser().home }
  const folder = projectArchiveFolder(root, repo, place)
  const base = await loadBase(store.sql, root)
  if (base !== null && base.acceptance === null && exists(folder)) {
    const hashes = [base.base.plan, base.seen?.plan ?? null].filter((hash) => hash !== null)
    const seen = archive ?? openTreeArchive(folder)
    seen.prune({ trees: [base.base.tree], hashes })
  }
}

/** What pruning would delete. */
async function planPrune(
  { store, folder, settings: { values } }: PruneTarget,
  current: RunId | null,
): Promise<PruneResult> {
  const working = await listRuns(store.sql, ALL)
  const oneStage = await listRuns(store.sql, ALL, { kinds: 'one-stage' })
  const all = [...working, ...oneStage]
  const keep = values['keep.runs']
  const old = [...working.slice(keep), ...oneStage.slice(keep)].filter((run) => run.end !== null && run.id !== current)
  const size = (run: RunId): number => folderSize(join(folder, 'logs', run))
  const plan: PruneResult = {
    runs: old.map((run) => run.id),
    logs: [],
    bytes: old.reduce((sum, run) => sum + size(run.id), 0),
    orphans: listOrphanedArchives(allArchivesFolder({ env: fullEnvironment(), home: currentUser().home })),
  }
  // Keeps the newest logs up to the limit.
  let left = values['keep.logs_gb'] * GB
  for (const run of all.filter((one) => !old.includes(one))) {
    const bytes = size(run.id)
    left -= bytes
    if (left >= 0 || bytes === 0 || run.id === current || run.end === null) continue
    plan.logs.push(run.id)
    plan.bytes += bytes
  }
  return plan
}

/** After a run of one stage: the same limit of runs applies. Does not touch other runs. */
export async function pruneOneStageRuns(
  { store, folder, settings: { values } }: PruneTarget,
  current: RunId,
): Promise<void> {
  const runs = await listRuns(store.sql, ALL, { kinds: 'one-stage' })
  for (const { id, end } of runs.slice(values['keep.runs'])) {
    if (end === null || id === current) continue
    await store.sql.transaction((tx) => deleteRun(tx, id))
    removeFolder(join(folder, 'logs', id))
  }
}

/** Prunes a project on request. `dry`: only returns what would be deleted. */
export async function pruneProject({
  root,
  settings,
  dry,
}: {
  root: string
  settings: Settings
  dry: boolean
}): Promise<PruneResult> {
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  return useStore(join(folder, 'ralph.db'), { create: false, notice: () => {} }, (store) => {
    const kept = { root, store, repo, folder, settings }
    return dry ? planPrune(kept, null) : pruneRuns(kept, null)
  })
}
