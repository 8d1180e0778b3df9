/**
 * Prepares the clean room for a trial: its files, a git folder, the shared tools, a new home, and the tools that the set-up installs.
 * Unchanged files of the last trial stay, so that the next trial is cheap; everything else is removed.
 */
import { join } from 'node:path'
import type { Env } from '../../core/trust/environment.ts'
import type { SharedToolsLevel } from '../../core/proof/trial.ts'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { projectPrefix, workingTreeRoot, type Repo } from '../repo/find-repo.ts'
import * as read from '../../core/text/json.ts'
import type { ArchiveEntry } from '../archive/tree-listing.ts'
import type { TreeArchive } from '../archive/tree-archive.ts'
import { buildTrialEnvironment } from './trial-environment.ts'
import { filesChangedInTrial, fillCleanRoom, type CleanRoomFile } from './fill-clean-room.ts'
import { createGitFolder, gitFoldersIn } from './git-folder.ts'
import { changedSharedTools, copySharedTools, resetSharedTools } from './shared-tools/copy-shared-tools.ts'
import { chooseSharedPaths } from './shared-tools/choose-shared-paths.ts'
import { findSharedHome, linkSharedHome, type SharedHome } from './shared-tools/shared-home.ts'
import { cleanRoomError, renewHomeAndTmp, openCleanRoom, type OpenCleanRoom } from './clean-room.ts'
import type { SetupOptions } from './run-setup.ts'
import { changedSetupFiles, readSavedSetup, setUpCleanRoom } from './reuse-setup.ts'

/** `env`: the complete environment of the gates. */
export interface PrepareOptions extends Pick<SetupOptions, 'env' | 'log' | 'mask' | 'now'> {
  repo: Repo
  /** The project's folder. */
  root: string
  archive: TreeArchive
  /** The folder that records the clean room. */
  memory: string
  files: ReadonlyMap<string, ArchiveEntry>
  sharedTools: SharedToolsLevel
  /** At the start of a run the present files are shared; later only files that are unchanged since then. */
  isStart: boolean
  setup: string | null
  copy: readonly string[]
  /** Texts that may name a neighbour. */
  texts: () => Iterable<string>
  /** Files of the base; install scripts of the packages in its lock files may run. */
  base: ReadonlyMap<string, ArchiveEntry>
  /** The real home folder. */
  home: string
  notes: string
  signal: AbortSignal
}

export interface PreparedCleanRoom {
  room: OpenCleanRoom
  env: Env
  /** The shared paths. */
  sharedPaths: string[]
  /** Files without bytes in the tree archive that no longer exist on disk. */
  missing: string[]
  /** After a trial: its files and tools that changed since it began. */
  changed(): Promise<string[]>
}

/** Throws `room-failed` with a message for people. */
export async function prepareCleanRoom(options: PrepareOptions): Promise<PreparedCleanRoom> {
  const { repo, root, memory, archive, signal } = options
  const top = workingTreeRoot(repo)
  const prefix = projectPrefix(repo, root)
  const room = renewHomeAndTmp(openCleanRoom({ memory, top, prefix }))
  const files = roomFiles(options.files, top)
  const sharedPaths = await shareAll(room, options)
  const links = join(room.parent, LINKS)
  const setsUp = options.setup !== null && options.sharedTools === 'nothing'
  const kept = setsUp ? readSavedSetup(memory, room) : null
  const gits = await gitFoldersIn(repo)
  const skip = new Set([...sharedPaths.paths, ...(kept?.made.keys() ?? []), ...gits, `../${LINKS}`])
  const filled = await fillCleanRoom(room, archive, files, { skip, signal })
  await createGitFolder(room, repo, { memory })
  linkSharedHome(sharedPaths.home, { room, links })
  const env = buildTrialEnvironment({
    env: options.env,
    room,
    top,
    home: options.home,
    links,
    sharedPaths: sharedPaths.home,
  })
  if (options.setup !== null && setsUp) await setUpCleanRoom({ ...options, command: options.setup, room, env, kept })
  return {
    room,
    env,
    sharedPaths: sharedPaths.paths,
    missing: filled.missing,
    changed: async () => [
      ...(await filesChangedInTrial(room, files, { signal })),
      ...(await changedSharedTools(room, { but: options.files, signal })),
      ...(setsUp ? await changedSetupFiles(memory, room, signal) : []),
    ],
  }
}

/** The folder of program links. It is on the PATH, so its name must be neutral. */
const LINKS = 'bin'

function roomFiles(files: ReadonlyMap<string, ArchiveEntry>, top: string): Map<string, CleanRoomFile> {
  const all = new Map<string, CleanRoomFile>()
  for (const [path, { hash, mode, kept }] of files) {
    all.set(path, { mode, from: kept || mode === 'link' ? { hash } : { copy: join(top, path), hash } })
  }
  return all
}

async function shareAll(
  room: OpenCleanRoom,
  { repo, memory, files, sharedTools: step, copy, texts, isStart, env, home, signal }: PrepareOptions,
): Promise<{ paths: string[]; home: SharedHome }> {
  const note = join(memory, 'lent.json')
  if (!isStart) {
    const before = readShared(readIfExists(note))
    if (before === null) throw cleanRoomError('the list of shared tools is missing or unreadable')
    await resetSharedTools(room, { but: files, signal })
    return before
  }
  const wanted = await chooseSharedPaths(step, { repo, copy, texts })
  await copySharedTools(room, wanted, { but: files, signal })
  const found = await findSharedHome({ env, repo, top: workingTreeRoot(repo), home })
  const sharedPaths = { paths: wanted, home: found }
  writeWithoutSync(note, JSON.stringify(sharedPaths))
  return sharedPaths
}

/** Whether a run has recorded the shared tools of the clean room. */
export function hasSharedToolsRecord(memory: string): boolean {
  return readShared(readIfExists(join(memory, 'lent.json'))) !== null
}

/** Null: the file is missing or damaged. */
function readShared(text: string | null): { paths: string[]; home: SharedHome } | null {
  const kept = read.jsonOrNull(text ?? '')
  const paths = read.ownField(kept, 'paths')
  const home = read.ownField(kept, 'home')
  return Array.isArray(paths) && typeof home === 'object' && home !== null
    ? { paths: paths as string[], home: home as SharedHome }
    : null
}
