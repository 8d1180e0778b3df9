/**
 * Finds and removes everything that Ralph keeps outside the files of a project: its store, its refs, its clean rooms and its notes in the
 * user's state folder. It never touches a commit, a branch or a file of the working tree.
 */
import { dirname, join } from 'node:path'
import { userSettingsFile } from '../../config/layers.ts'
import * as read from '../../core/text/json.ts'
import { listRuns } from '../../store/runs.ts'
import { systemClock } from '../../system/clock.ts'
import { exists, folderSize, isFolder, listFolder, readIfExists, removeFolder } from '../../system/files/files.ts'
import { realPath, resolvesInto } from '../../system/files/links.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import { stateFolder, type StateFolderInput } from '../../system/files/state-folder.ts'
import { loadTaskOverview } from '../../store/task/task-counts.ts'
import { allArchivesFolder } from '../../workspace/archive/archive-folder.ts'
import { recordedCleanRoomPath } from '../../workspace/clean-room/clean-room.ts'
import { openRepo } from '../../workspace/repo/git.ts'
import { workingTreeRoot, type Repo } from '../../workspace/repo/find-repo.ts'
import { deleteAllSnapshots, listSnapshots } from '../../workspace/repo/snapshot-refs.ts'
import { withReadableStore } from '../open-store.ts'
import { refuseWhileRunning } from './init-files.ts'

/** One thing to remove. */
export type Trace =
  | { is: 'store'; path: string; bytes: number; runs: number; tasks: number }
  | { is: 'refs'; repository: string; count: number }
  | { is: 'clean-room' | 'archive' | 'trust' | 'answers' | 'state'; path: string; bytes: number }

/** Everything of one repository, with all its projects and worktrees. */
export async function findTracesOf(root: string, who: StateFolderInput): Promise<Trace[]> {
  const repo = await openRepo(root)
  return [...(await tracesInRepository(repo)), ...userTraces(repo, who)]
}

/** The state folder of this user, and the traces in every repository that it knows. */
export async function findAllTraces(who: StateFolderInput): Promise<Trace[]> {
  const repositories = new Map<string, Trace[]>()
  for (const { root } of archives(who)) {
    if (!exists(root)) continue
    const repo = await openRepo(root)
    repositories.set(repo.git?.commonDir ?? root, await tracesInRepository(repo))
  }
  const rooms = archives(who).flatMap(({ folder }) => cleanRooms(folder))
  return [...[...repositories.values()].flat(), ...rooms, ...folderTrace('state', dirname(allArchivesFolder(who)))]
}

export async function refuseUninstallWhileRunning(traces: readonly Trace[]): Promise<void> {
  for (const trace of traces) if (trace.is === 'refs') await refuseWhileRunning(trace.repository, 'uninstall')
}

export async function removeTraces(traces: readonly Trace[]): Promise<void> {
  // Refs first: without the store nothing else finds them.
  for (const trace of traces) if (trace.is === 'refs') await deleteAllSnapshots(await openRepo(trace.repository))
  for (const trace of traces) {
    if (trace.is === 'refs') continue
    if (trace.is === 'clean-room') removeAll(trace.path)
    else removeFolder(trace.path)
  }
}

/** The settings file of this user, which stays; null: there is none. */
export function ownSettingsFile(who: StateFolderInput): string | null {
  const file = userSettingsFile(who)
  return file !== null && exists(file.path) ? file.name : null
}

async function tracesInRepository(repo: Repo): Promise<Trace[]> {
  const path = repo.git === null ? join(repo.root, '.ralph', 'state') : join(repo.git.commonDir, 'ralph')
  const refs = repo.git === null ? [] : await listSnapshots(repo)
  const store: Trace[] = isFolder(path)
    ? [{ is: 'store', path, bytes: folderSize(path), ...(await countsIn(repo.root)) }]
    : []
  return refs.length === 0 ? store : [...store, { is: 'refs', repository: repo.root, count: refs.length }]
}

/** Zero if the store cannot be read: it can still be removed. */
async function countsIn(root: string): Promise<{ runs: number; tasks: number }> {
  const counts = await withReadableStore(root, async ({ sql }) => ({
    runs: (await listRuns(sql, 10_000)).length,
    tasks: (await loadTaskOverview(sql, { is: 'all' }, systemClock().at())).counts.all,
  }))
  return counts ?? { runs: 0, tasks: 0 }
}

/** In the state folder of the user, where each folder records the project it belongs to. */
function userTraces(repo: Repo, who: StateFolderInput): Trace[] {
  const top = workingTreeRoot(repo)
  const common = repo.git === null ? null : (realPath(repo.git.commonDir) ?? repo.git.commonDir)
  const isOurs = (root: string): boolean => resolvesInto(root, top)
  const ours = archives(who).filter(({ root }) => isOurs(root))
  const trusted = notesIn(stateFolder(who, 'trust'), 'repository').filter(
    ({ value }) => value === common || value === join(top, '.git'),
  )
  const answered = notesIn(stateFolder(who, 'answered'), 'root').filter(({ value }) => isOurs(value))
  return [
    ...ours.flatMap(({ folder }) => cleanRooms(folder)),
    ...ours.flatMap(({ folder }) => folderTrace('archive', folder)),
    ...trusted.flatMap(({ folder }) => folderTrace('trust', folder)),
    ...answered.flatMap(({ folder }) => folderTrace('answers', folder)),
  ]
}

/** The tree archives, each with the project it belongs to. */
function archives(who: StateFolderInput): { folder: string; root: string }[] {
  const all = allArchivesFolder(who)
  return listFolder(all).flatMap((name) => {
    const folder = join(all, name)
    const root = readIfExists(join(folder, 'project'))?.trim()
    return root === undefined ? [] : [{ folder, root }]
  })
}

function cleanRooms(archive: string): Trace[] {
  const rooms = [archive, join(archive, 'with-ignored')].map(recordedCleanRoomPath)
  return rooms.flatMap((path) => (path === null ? [] : folderTrace('clean-room', path)))
}

/** Folders of small JSON files that all name the same project. */
function notesIn(all: string, field: string): { folder: string; value: string }[] {
  return listFolder(all).flatMap((name) => {
    const folder = join(all, name)
    const note = listFolder(folder).find((file) => file.endsWith('.json'))
    const kept =
      note === undefined ? {} : read.asRecord(read.jsonOrNull(readIfExists(join(folder, note)) ?? ''), read.asText)
    const value = kept[field]
    return value === undefined ? [] : [{ folder, value }]
  })
}

function folderTrace(is: Exclude<Trace['is'], 'refs' | 'store'>, path: string): Trace[] {
  return isFolder(path) ? [{ is, path, bytes: folderSize(path) }] : []
}
